/** Texts that OpenAI's two formats have in common, beside the conversation: of tools and schemas, and of who asks. */
import type { JsonObject } from '../json.ts'
import { MAX_USER_CHARACTERS } from './fields.ts'
import { visitSchema } from './schema-text.ts'
import { ANY_NAME, TOOL_DEFINITION, type NameRules } from './text-place.ts'
import type { TextWalk } from './text-walk.ts'

/** Fields that say who asks. */
export const IDENTIFIERS = ['user', 'safety_identifier', 'prompt_cache_key'] as const
/** Characters of a value, and of a name. @see https://platform.openai.com/docs/api-reference/chat/create */
const MAX_METADATA_LENGTH = 512
const METADATA_NAMES: NameRules = { ...ANY_NAME, maxLength: 64 }
/** What a tool of the vendor says of itself. All else are settings, an address or a credential. */
const TOOL_WORDS = ['description', 'server_description', 'instructions'] as const

/** Visits who asks, and what the request is marked by. */
export function visitMarks(document: JsonObject, walk: TextWalk): void {
  walk.parameters(document, IDENTIFIERS, MAX_USER_CHARACTERS)
  walk.parameters(document, ['metadata'], MAX_METADATA_LENGTH, METADATA_NAMES)
}

/** Visits what has a description and a schema. */
export function visitDefinition(
  definition: JsonObject,
  schema: string,
  known: ReadonlySet<string>,
  walk: TextWalk,
): void {
  walk.text(definition, 'description', TOOL_DEFINITION)
  visitSchema(definition, schema, TOOL_DEFINITION, walk)
  walk.extras(definition, known, TOOL_DEFINITION)
}

/** Visits a tool of the vendor's own. */
export function visitOwnTool(tool: JsonObject, walk: TextWalk): void {
  for (const field of TOOL_WORDS) walk.text(tool, field, TOOL_DEFINITION)
}
