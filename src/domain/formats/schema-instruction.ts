import type { JsonValue } from '../json.ts'

/** What a model is told that cannot be held to the schema of an answer by its vendor. */
export function schemaInstruction(schema: JsonValue): string {
  return `Answer with JSON and nothing else, without a code fence, valid against this JSON schema: ${JSON.stringify(schema)}`
}
