/** What other servers than OpenAI's take for JSON: vLLM, llama.cpp, SGLang, TGI, NIM. */
import { asObject, type JsonObject } from '../../json.ts'

/** A schema, or its text. */
export const SCHEMA_FIELDS = ['guided_json', 'json_schema'] as const

/** @see Format.asksForJson */
export function asksForJson(document: JsonObject): boolean {
  const outputs = asObject(document.structured_outputs)
  const schemas = [
    document.guided_json,
    document.json_schema,
    asObject(document.nvext)?.guided_json,
    outputs?.json,
    outputs?.json_object === true ? {} : undefined,
  ]
  if (schemas.some((schema) => schema !== undefined && schema !== null)) return true
  return asObject(document.response_format)?.type === 'json'
}
