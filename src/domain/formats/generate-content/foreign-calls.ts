/**
 * Calls of another vendor's model in the history of a client of this format: a step that went elsewhere (failover, an
 * automatic choice) has no signature, and models that demand one answer such a history with a 400.
 */
import type { TranslationWarning } from '../../completion/request.ts'
import { asArray, asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { traitsOf } from './model-traits.ts'
import { nameIn } from './spelling.ts'

/**
 * Stands for the signature of a call that another vendor's model made: models that require one take this word of the
 * vendor's for a history that was not made by them. @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator'

/** The contents with a substitute on the first call of every unsigned step; undefined where nothing has to change. */
export function patchCalls(
  source: JsonObject,
  model: string,
  warnings: TranslationWarning[],
): { contents: JsonValue[] } | undefined {
  if (!traitsOf(model).requiresSignature) return undefined
  let isPatched = false
  let inStep = false
  const contents = asArray(source.contents).map((content, index) => {
    const first = inStep ? -1 : indexOfCall(content)
    // Contents of the model in a row are one step: streams are kept piece by piece.
    inStep = asObject(content)?.role === 'model' && (inStep || first !== -1)
    if (!inStep || first === -1 || !isJsonObject(content) || isSigned(content, first)) return content
    isPatched = true
    warnings.push({ field: `contents[${index}]`, message: 'a call without a signature got the substitute for one' })
    return { ...content, parts: asArray(content.parts).map((part, at) => (at === first ? signed(part) : part)) }
  })
  return isPatched ? { contents } : undefined
}

function indexOfCall(content: JsonValue): number {
  return asArray(asObject(content)?.parts).findIndex(
    (part) => isJsonObject(part) && isJsonObject(part[nameIn(part, 'functionCall')]),
  )
}

function isSigned(content: JsonObject, at: number): boolean {
  const part = asObject(asArray(content.parts)[at]) ?? {}
  return Boolean(part[nameIn(part, 'thoughtSignature')])
}

function signed(part: JsonValue): JsonValue {
  return isJsonObject(part) ? { ...part, [nameIn(part, 'thoughtSignature')]: FOREIGN_SIGNATURE } : part
}
