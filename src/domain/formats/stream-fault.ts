/** What is wrong with a provider's stream, whatever its format: the part that a decoder ends with. */
import type { StreamPart } from '../completion/stream-part.ts'
import { parseJson } from '../json-parse.ts'
import { asObject, type JsonObject } from '../json.ts'
import type { ProviderError } from './format.ts'

type Fault = Extract<StreamPart, { type: 'error' }>

/** The document in an event's data; undefined where it holds none: `malformedEvent`. */
export function documentIn(data: string): JsonObject | undefined {
  try {
    return asObject(parseJson(data))
  } catch {
    return undefined
  }
}

export function malformedEvent(): Fault {
  return { type: 'error', message: 'The provider sent an event that is not a JSON object.' }
}

/** The stream has ended and its answer has not. */
export function cutStream(): Fault {
  return { type: 'error', message: 'The provider ended the stream before the answer was complete.', code: 'cut' }
}

/** @param raw the document that `error` was read from */
export function reportedError({ message, code, type }: ProviderError, raw: JsonObject): Fault {
  const word = code ?? type
  const text = message ?? 'The provider reported an error inside the stream.'
  return { type: 'error', message: text, ...(word === undefined ? {} : { code: word }), raw }
}
