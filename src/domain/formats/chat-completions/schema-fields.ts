/** Fields beside `response_format` that say by a schema how the answer is to be: vLLM, llama.cpp and SGLang take them. */
import { asObject, type JsonObject } from '../../json.ts'

/** A schema, or its text. */
export const SCHEMA_FIELDS = ['guided_json', 'json_schema'] as const

/** @see Format.asksForJson */
export function asksForJson(document: JsonObject): boolean {
  const holders = [document.guided_json, document.json_schema, asObject(document.structured_outputs)?.json]
  return holders.some((schema) => schema !== undefined && schema !== null)
}
