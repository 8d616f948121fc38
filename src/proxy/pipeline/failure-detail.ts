/** What a failed try was, for the log: words of our own and of the manifest, never a provider's or a client's, which may quote. */
import { UpstreamFormatError } from '../../domain/errors.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import type { Operation } from '../providers/provider-family.ts'
import { familyOf } from '../providers/registry.ts'
import { AttemptError } from './ports.ts'
import type { RequestRecord } from './request-record.ts'
import { StatusError } from './status-error.ts'

type Asked = Pick<RequestRecord, 'operation' | 'stream' | 'replyHead'>

const JSON_TYPE = /^[^;]*\bjson\b/i
/** Of web pages, proxies and other APIs. Another one is the provider's own word, and may quote. */
const USUAL_TYPE =
  /^(text\/(?:html|plain|xml|event-stream)|application\/(?:xml|xhtml\+xml|octet-stream|x-ndjson|jsonl|grpc|pdf))[ \t]*(?:;|$)/i

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
  const url = urlOf(deployment, asked)
  return `${what}${addressOf(url, what)}${answerOf(asked)}`
}

/** Without its login and query. Empty where `what` has its host: a path says nothing of a connection. */
function addressOf(url: URL | undefined, what: string): string {
  if (url === undefined) return ', at no address'
  return what.includes(url.origin) ? '' : `, at ${url.origin}${url.pathname}`
}

function urlOf({ provider, model: { upstreamName } }: Deployment, { operation, stream }: Asked): URL | undefined {
  const family = familyOf(provider.type)
  const base = URL.parse(provider.endpoint.baseUrl ?? family.defaultBaseUrl ?? '')
  return base === null ? undefined : family.url(base, { upstreamName, operation: operationOf(operation), stream })
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
