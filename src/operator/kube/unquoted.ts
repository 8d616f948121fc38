/**
 * Keeps what a refused Secret or token holds out of the error that tells of the refusal: the API server quotes a body
 * that it cannot read, and admission policies and webhooks say what they like. A message that shows any part of what was
 * sent, as text or in base64, is withheld; the outcome is always told. Known limit: other encodings are not recognised.
 */
import { asObject, isJsonObject } from '../../domain/json.ts'
import { KubeError } from './kube-error.ts'
import type { Resource } from './resource.ts'

const CONFIDENTIAL: ReadonlySet<string> = new Set(['secrets', 'tokenreviews'])
/** Statuses whose messages say by themselves what was refused. */
const TELLING: ReadonlySet<number> = new Set([401, 403, 404, 409, 410, 429])
/** What tells which object it is, and is no secret. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'type'])
/** Characters in a row that are taken for a quotation. */
const FRAGMENT = 8
/** Begins every generated key, and is in the name of the operator's account, which a refusal for want of a right says: no secret. */
const PUBLIC = /tollgate/g

/** `result`, with the error of a refused Secret or token made fit for logs and statuses. `body`: what was sent. */
export async function unquoted<Result>(
  { plural, kind }: Resource,
  body: unknown,
  result: Promise<Result>,
): Promise<Result> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof KubeError) || error.status === 0 || !CONFIDENTIAL.has(plural)) throw error
    const { status, reason, retryAfterMs, message } = error
    const shown = message.replaceAll(PUBLIC, ' ')
    const quotes = confidentialTexts(body).some((text) => showsPartOf(shown, text))
    if (!quotes && TELLING.has(status)) throw error
    const outcome = `the API server refused a ${kind} (${status} ${reason})`
    throw new KubeError(quotes ? outcome : `${outcome}: ${message}`, { status, reason, retryAfterMs })
  }
}

/** All texts of a body but those that name the object, also decoded where they are base64. */
function confidentialTexts(body: unknown): readonly string[] {
  const fields = isJsonObject(body) ? Object.entries(body).filter(([name]) => !OPEN_FIELDS.has(name)) : [['', body]]
  const encoded = isJsonObject(body) ? Object.values(asObject(body['data']) ?? {}) : []
  return [
    ...fields.flatMap(([, value]) => textsIn(value)),
    ...encoded.flatMap((value) => (typeof value === 'string' ? [Buffer.from(value, 'base64').toString('utf8')] : [])),
  ].filter((text) => text !== '')
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function showsPartOf(message: string, text: string): boolean {
  if (text.length <= FRAGMENT) return message.includes(text)
  for (let at = 0; at + FRAGMENT <= text.length; at++) {
    if (message.includes(text.slice(at, at + FRAGMENT))) return true
  }
  return false
}
