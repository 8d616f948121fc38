/** What a Responses request says beside the neutral request and chat completions has a field for, too: OpenAI's own API knows both. */
import type { CompletionRequest } from '../../completion/request.ts'
import { asObject, asString, type JsonObject } from '../../json.ts'
import { MAX_USER_CHARACTERS } from '../fields.ts'
import type { RenderTarget } from '../format.ts'
import { traitsOf } from './model-traits.ts'
import { WISHES } from './wishes.ts'

/** Of equal names and values. */
const SHARED_FIELDS = ['prompt_cache_key', 'prompt_cache_retention', 'service_tier'] as const

export interface CarriedFields {
  /** By their names in chat completions. */
  readonly fields: JsonObject
  /** Their names in the client's document. */
  readonly names: readonly string[]
}

/** Undefined where the request came in another format or goes to another API. A value that would be refused is not carried. */
export function fromResponses(
  { source }: CompletionRequest,
  { dialect, model }: RenderTarget,
): CarriedFields | undefined {
  if (source.format !== 'responses' || dialect !== 'openai') return undefined
  const fields: JsonObject = {}
  const names: string[] = []
  for (const name of SHARED_FIELDS) {
    const value = asString(source.document[name])
    // A key, masked, may have outgrown what the vendor takes.
    if (value === undefined || value.length > MAX_USER_CHARACTERS) continue
    if (WISHES.get(name)?.(model, value) === false) continue
    fields[name] = value
    names.push(name)
  }
  const verbosity = asString(asObject(source.document.text)?.verbosity)
  if (verbosity !== undefined && traitsOf(model).verbosity) {
    fields.verbosity = verbosity
    names.push('text.verbosity')
  }
  return { fields, names }
}
