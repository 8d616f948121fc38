/** What a failed try was, for the log: words of our own and of the manifest, never a provider's or a client's, which may quote. */
import { UpstreamFormatError } from '../../../domain/errors.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Operation } from '../../providers/provider-family.ts'
import { familyOf } from '../../providers/registry.ts'
import { AttemptError } from '../ports.ts'
import type { RequestRecord } from '../request-record.ts'
import { StatusError } from './status-error.ts'

type Asked = Pick<RequestRecord, 'operation' | 'stream' | 'replyHead'>

const JSON_TYPE = /^[^;]*\bjson\b/i
/** Of web pages, proxies and other APIs. Another one is the provider's own word, and may quote. */
const USUAL_TYPE =
  /^(text\/(?:html|plain|xml|event-stream)|application\/(?:xml|xhtml\+xml|octet-stream|x-ndjson|jsonl|grpc|pdf))[ \t]*(?:;|$)/i
/** `v1`, `v1beta`, `v2alpha1`, and names that stand before them. */
const USUAL_SEGMENT = /^(?:v\d{1,2}(?:(?:alpha|beta)\d?)?|api|openai|anthropic|gemini|inference|compatible-mode|paas)$/

/**
 * `the answer is not a JSON object, at https://api.example/v1/chat/completions: status 200, text/html`.
 * @returns undefined where `error` is none of a provider's
 */
export function failureDetail(error: unknown, deployment: Deployment, asked: Asked): string | undefined {
  if (error instanceof StatusError) return told(error.detail, deployment, asked)
  if (error instanceof AttemptError && error.kind === 'busy') return error.message
  if (!(error instanceof AttemptError) && !(error instanceof UpstreamFormatError)) return undefined
  return told(error.message.replace(/\.$/, ''), deployment, asked)
}

function told(what: string, deployment: Deployment, asked: Asked): string {
  return `${what}${addressOf(what, deployment, asked)}${answerOf(asked)}`
}

/** Without its login and query, which hold keys. Empty where `what` has its host: a path says nothing of a connection. */
function addressOf(
  what: string,
  { provider, model: { upstreamName } }: Deployment,
  { operation, stream }: Asked,
): string {
  const family = familyOf(provider.type)
  const base = URL.parse(provider.endpoint.baseUrl ?? family.defaultBaseUrl ?? '')
  if (base === null) return ', at no address'
  if (what.includes(base.origin)) return ''
  const given = base.pathname.replace(/\/+$/, '')
  const { origin, pathname } = family.url(base, { upstreamName, operation: operationOf(operation), stream })
  return `, at ${origin}${withoutKeys(given)}${pathname.slice(given.length)}`
}

/** Gateways take keys in paths too: of the manifest's own only what every API has is told, which is what one looks for. */
function withoutKeys(path: string): string {
  return path.replaceAll(/[^/]+/g, (segment) => (USUAL_SEGMENT.test(segment) ? segment : '...'))
}

function operationOf(operation: string): Operation {
  return operation === 'embeddings' || operation === 'count-tokens' ? operation : 'chat'
}

/** Its status, and its type where that is not what was asked for. Empty: none has come. */
function answerOf({ replyHead }: Asked): string {
  if (replyHead === undefined) return ''
  const { status, contentType } = replyHead
  if (contentType === undefined) return `: status ${status}, no content type`
  if (JSON_TYPE.test(contentType)) return `: status ${status}`
  return `: status ${status}, ${USUAL_TYPE.exec(contentType)?.[1] ?? 'an unusual content type'}`
}
