/**
 * What the cache keeps of an answer, and how it stands in a store: one line of JSON, then the document's bytes.
 * The version is part of every store's key, so a new shape never meets an old one.
 */
import type { AssistantPart, CompletionRequest } from '../completion/request.ts'
import type { Choice, CompletionResult } from '../completion/result.ts'
import type { Milliseconds } from '../snapshot/snapshot.ts'
import { isJson } from '../json-parse.ts'
import type { JsonValue } from '../json.ts'
import type { CachedFormat } from './request-text.ts'

/** Part of every key. To be raised whenever keys or entries change their meaning. */
export const CACHE_VERSION = 2

export interface StoredAnswer {
  /** The format of `document`: the provider's. */
  readonly format: CachedFormat
  /** A whole answer, JSON in UTF-8, with ordinals for masked values. */
  readonly document: Uint8Array
  /** `provider/model` that made it. */
  readonly deployment: string
  /** The virtual key whose request it was made for. */
  readonly virtualKey: string
  /** When it was asked for, milliseconds since the epoch. */
  readonly storedAtMs: Milliseconds
  /** How often its organization, project and key had been purged when it was asked for. */
  readonly purges: PurgeCounts
}

export type PurgeCounts = readonly [organization: number, project: number, virtualKey: number]

const decoder = new TextDecoder('utf-8', { fatal: true })
const NEWLINE = 0x0a

/** The line that stands before the document, with its end. */
export function storedHead({ format, deployment, virtualKey, storedAtMs, purges }: StoredAnswer): string {
  const [organization, project, ofKey] = purges
  return `${JSON.stringify([format, deployment, virtualKey, storedAtMs, organization, project, ofKey])}\n`
}

/** The answer of its bytes: head, document. Undefined where the bytes are no answer. */
export function decodeStoredAnswer(bytes: Uint8Array): StoredAnswer | undefined {
  const end = bytes.indexOf(NEWLINE)
  if (end === -1) return undefined
  const head = parseHead(bytes.subarray(0, end))
  return head && { ...head, document: bytes.subarray(end + 1) }
}

function parseHead(bytes: Uint8Array): Omit<StoredAnswer, 'document'> | undefined {
  try {
    const head: unknown = JSON.parse(decoder.decode(bytes))
    if (!Array.isArray(head)) return undefined
    const [format, deployment, virtualKey, storedAtMs, ...purges]: unknown[] = head
    if (!isFormat(format) || typeof deployment !== 'string' || typeof virtualKey !== 'string') return undefined
    if (typeof storedAtMs !== 'number' || !isCounts(purges)) return undefined
    return { format, deployment, virtualKey, storedAtMs, purges }
  } catch {
    return undefined
  }
}

const FORMATS: ReadonlySet<unknown> = new Set<CachedFormat>([
  'chat-completions',
  'messages',
  'generate-content',
  'embeddings',
])

function isFormat(value: unknown): value is CachedFormat {
  return FORMATS.has(value)
}

function isCounts(values: readonly unknown[]): values is PurgeCounts {
  return values.length === 3 && values.every((value) => Number.isSafeInteger(value))
}

/**
 * Whether an answer is one that another caller of the same request would want: every choice there and, as its provider
 * says, ended by itself or by the client's own limit, and no error told of beside them. A model that wrote broken arguments for a tool is asked
 * again by its agent, who must not get the same ones until they have had their time.
 * @param clamp the output limit that the gateway sent instead of the client's; undefined: none
 */
export function isWorthKeeping(
  result: CompletionResult,
  request: CompletionRequest,
  clamp: number | undefined,
): boolean {
  if (result.choices.length !== (request.sampling.choices ?? 1) || isPresent(result.source.document.error)) return false
  const asked = request.sampling.maxOutputTokens
  const cutByClient = asked !== undefined && (clamp === undefined || clamp >= asked)
  return result.choices.every((choice) => isEnded(choice, cutByClient))
}

/**
 * Without a word of the provider, or with an empty one, `finish` says how the answer is passed on, not that it is whole:
 * a server that is cut off says as little as one that never tells.
 */
function isEnded({ content, finish }: Choice, cutByClient: boolean): boolean {
  if (!finish.raw || content.length === 0 || !content.every(isWhole)) return false
  if (finish.reason === 'length') return cutByClient
  return finish.reason === 'stop' || finish.reason === 'tool-calls'
}

function isWhole(part: AssistantPart): boolean {
  if (part.type === 'tool-call') return part.arguments === '' || isJson(part.arguments)
  return part.type !== 'refusal'
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null
}
