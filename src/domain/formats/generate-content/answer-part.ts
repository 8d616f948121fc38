/** One part of an answer -> what it says, for whole answers and streams alike. */
import { asObject, asString, type JsonObject } from '../../json.ts'
import { argumentsTextOf } from './tool-arguments.ts'

export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thought'; readonly text: string; readonly signature: string | undefined }
  | {
      readonly type: 'call'
      readonly id: string | undefined
      readonly name: string
      readonly arguments: string
      readonly signature: string | undefined
    }
  /** Code that the provider ran, media that the model made, ...: `name` is the field that says it. */
  | { readonly type: 'unknown'; readonly name: string }

/** Fields that stand beside what a part says. */
const BESIDE: ReadonlySet<string> = new Set(['thought', 'thoughtSignature', 'partMetadata'])

/** What a part says. A signature of plain text has no place in the neutral model and is left out. */
export function readAnswerPart(part: JsonObject): AnswerPart {
  const text = asString(part.text)
  const signature = asString(part.thoughtSignature)
  const call = asObject(part.functionCall)
  if (call !== undefined) {
    const { id, name, args } = call
    return {
      type: 'call',
      id: asString(id) || undefined,
      name: asString(name) ?? '',
      arguments: argumentsTextOf(args),
      signature,
    }
  }
  if (part.thought === true) return { type: 'thought', text: text ?? '', signature }
  if (text !== undefined) return { type: 'text', text }
  const name = Object.keys(part).find((field) => !BESIDE.has(field))
  return name === undefined ? { type: 'text', text: '' } : { type: 'unknown', name }
}
