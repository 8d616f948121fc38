/** A provider's response outside 2xx: its words, without its key, and what its family makes of it. */
import type { FormatName } from '../../../domain/completion/request.ts'
import type { Format, ProviderError } from '../../../domain/formats/format.ts'
import { asObject, type JsonObject } from '../../../domain/json.ts'
import { jsonValue } from '../../../domain/json-value.ts'
import type { Secret } from '../../../domain/secret.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { judgeReply, type FailureKind, type ReplyFailure } from '../../providers/provider-family.ts'
import { familyOf } from '../../providers/registry.ts'
import { faultOf } from './our-fault.ts'
import type { ProviderReply } from '../ports.ts'
import { readErrorBody } from './read-whole.ts'

const NOTHING: ProviderError = { message: undefined, type: undefined, code: undefined, param: undefined }

const FAULT_OF = {
  request: 'the provider refuses the request',
  'rate-limited': 'the provider takes no more requests at the moment',
  unavailable: 'the provider failed',
} as const satisfies Record<Exclude<FailureKind, 'our-fault'>, string>

/** Shorter keys are no secrets but fill a field for a server that wants none (`x`, `none`, `ollama`): also a piece of other words. */
const MIN_SECRET_CHARACTERS = 8

/** A response with a status outside 2xx, read and judged. */
export class StatusError extends Error {
  readonly status: number
  readonly verdict: ReplyFailure
  readonly provider: ProviderError
  readonly format: FormatName
  /** For the log: whose fault it is, and what to look at where it is the gateway's own. */
  readonly detail: string
  /** The beginning of what came: it may quote the key that was sent, so it goes nowhere. */
  readonly #body: string

  constructor(
    status: number,
    verdict: ReplyFailure,
    provider: ProviderError,
    body: string,
    format: FormatName,
    detail: string,
  ) {
    super(`status ${status}`)
    this.status = status
    this.verdict = verdict
    this.provider = provider
    this.#body = body
    this.format = format
    this.detail = detail
  }

  /** Whether the provider's words, of whatever shape, have this one. */
  says(word: string): boolean {
    return this.#body.includes(word)
  }
}

/** The failure that a response outside 2xx is. Reads the beginning of its body. */
export async function statusErrorOf(
  reply: ProviderReply,
  deployment: Deployment,
  format: Format,
  credential: Secret | undefined,
  nowMs: number,
): Promise<StatusError> {
  const body = new TextDecoder().decode(await readErrorBody(reply))
  const { status, headers } = reply
  const verdict = judgeReply(familyOf(deployment.provider.type), deployment.provider, { status, headers, body, nowMs })
  const document = errorObjectOf(body)
  const provider = document === undefined ? NOTHING : format.parseError(document)
  const detail = verdict.kind === 'our-fault' ? faultOf(status, deployment) : FAULT_OF[verdict.kind]
  return new StatusError(status, verdict, withoutCredential(provider, credential), body, format.name, detail)
}

/** Google's address for OpenAI's API has the error in an array of one. */
function errorObjectOf(text: string): JsonObject | undefined {
  try {
    const document = jsonValue(text)
    return asObject(Array.isArray(document) ? document[0] : document)
  } catch {
    return undefined
  }
}

/** `Bearer sk-...`, as the Secret of a header of its own may have it: without its scheme. */
const SCHEME = /^[\w-]+ +(?=\S+$)/

/** Providers quote the key they were sent in some messages: it never goes further. It is sent without white space around it. */
function withoutCredential(error: ProviderError, credential: Secret | undefined): ProviderError {
  const sent = credential?.reveal().trim() ?? ''
  const keys = [sent, sent.replace(SCHEME, '')].filter(({ length }) => length >= MIN_SECRET_CHARACTERS)
  const clean = (text: string | undefined) => keys.reduce((told, key) => told?.replaceAll(key, '[secret]'), text)
  return { message: clean(error.message), type: clean(error.type), code: clean(error.code), param: clean(error.param) }
}
