/** What other servers than OpenAI's take for JSON: vLLM, llama.cpp, SGLang, TGI, NIM. */
import { asObject, type JsonObject } from '../../json.ts'

/** A schema, or its text. */
export const SCHEMA_FIELDS = ['guided_json', 'json_schema'] as const

/** @see Format.asksForJson */
export function asksForJson(document: JsonObject): boolean {
  const outputs = asObject(document.structured_outputs)
  const ofNim = asObject(document.nvext)
  const schema = document.guided_json ?? document.json_schema ?? ofNim?.guided_json ?? outputs?.json ?? null
  if (schema !== null || outputs?.json_object === true) return true
  return asObject(document.response_format)?.type === 'json'
}
