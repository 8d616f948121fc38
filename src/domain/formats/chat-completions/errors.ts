/** Errors in OpenAI's shape, and those of servers that nearly have it. */
import type { GatewayError } from '../../errors.ts'
import { asArray, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { ProviderError, SseEvent } from '../format.ts'

/** The body of a refusal. The request id is in the `x-request-id` header, where the SDKs look for it. */
export function renderError(error: GatewayError): JsonObject {
  return {
    error: {
      message: error.message,
      type: error.publicType,
      param: error.details.param ?? null,
      code: error.publicCode,
    },
  }
}

/**
 * The event that ends a failed stream. The SDKs throw an APIError on an `error` field inside the data; no `[DONE]`
 * follows, which would tell other clients that the answer is whole.
 * @see https://github.com/openai/openai-python/blob/main/src/openai/_streaming.py
 */
export function renderStreamError(error: GatewayError): SseEvent[] {
  return [{ data: JSON.stringify(renderError(error)) }]
}

/** Reads `{error: {...}}`, `{error: "..."}`, `{message, ...}` and FastAPI's `{detail}`, with Mistral as the message. Never throws. */
export function parseError(document: JsonObject): ProviderError {
  const body = asObject(document.error) ?? document
  return {
    message: asString(document.error) ?? messageOf(body.message) ?? detailOf(document.detail),
    type: asString(body.type),
    code: wordOf(body.code),
    param: asString(body.param),
  }
}

function wordOf(code: JsonValue | undefined): string | undefined {
  return typeof code === 'number' ? String(code) : asString(code)
}

function messageOf(message: JsonValue | undefined): string | undefined {
  return isJsonObject(message) ? detailOf(message.detail) : detailOf(message)
}

/** What is wrong first, and where: `body.seed: Extra inputs are not permitted`. */
function detailOf(detail: JsonValue | undefined): string | undefined {
  if (!Array.isArray(detail)) return asString(detail)
  const first = asArray(detail)
    .filter(isJsonObject)
    .find(({ msg }) => asString(msg) !== undefined)
  const place = asArray(first?.loc).filter((step) => typeof step === 'string' || typeof step === 'number')
  return first && [place.join('.'), asString(first.msg)].filter(Boolean).join(': ')
}

/**
 * The object that tells of an error inside a stream, for `parseError`; undefined where the event is none. It is one by
 * its name, an `error` field (OpenRouter: inside the choice) or its object type (vLLM).
 */
export function streamErrorOf(event: SseEvent, chunk: JsonObject): JsonObject | undefined {
  if (event.event === 'error' || chunk.error || chunk.object === 'error') return chunk
  const failed = asArray(chunk.choices).find((choice) => isJsonObject(choice) && choice.error)
  return asObject(failed)
}
