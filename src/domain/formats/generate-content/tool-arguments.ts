/** The arguments of a function call: an object on this wire, JSON text in the neutral model. */
import { NO_ARGUMENTS } from '../../completion/request.ts'
import { asObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { InnerJson } from '../inner-json.ts'

/**
 * Holds the text of arguments that are no JSON object: this format has no other place for them, and a call without its
 * arguments would say something else than the model did.
 */
export const RAW_ARGUMENTS = '_raw_arguments'

/** The arguments as JSON text. Absent arguments are an empty object. */
export function argumentsTextOf(args: JsonValue | undefined): string {
  if (args === undefined || args === null) return NO_ARGUMENTS
  const raw = asObject(args)?.[RAW_ARGUMENTS]
  if (typeof raw === 'string' && Object.keys(args).length === 1) return raw
  return JSON.stringify(args)
}

/** The arguments as an object, and what it could not keep of the text. */
export function argumentsOf(text: string, inner: InnerJson): { readonly args: JsonObject; readonly lost?: string } {
  if (text.trim() === '') return { args: {} }
  const args = inner.object(text)
  if (typeof args !== 'string') return { args }
  return { args: { [RAW_ARGUMENTS]: text }, lost: `arguments that are ${args} were put into ${RAW_ARGUMENTS}` }
}
