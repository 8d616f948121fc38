/** Where the texts of a document stand, and which names of its fields are texts. */
import type { TextSpan } from '../completion/text-span.ts'

/** Where a text stands, without the text. */
export type TextPlace = Omit<TextSpan, 'text' | 'isName' | 'fieldName'>

export const SYSTEM: TextPlace = { scope: 'system', role: 'system' }
export const USER: TextPlace = { scope: 'message', role: 'user' }
/** What a model has said, in an answer or earlier in the conversation. */
export const ASSISTANT: TextPlace = { scope: 'message', role: 'assistant' }
export const TOOL_DEFINITION: TextPlace = { scope: 'tool-definition', role: 'system' }
export const TOOL_INPUT: TextPlace = { scope: 'tool-input', role: 'assistant' }
export const TOOL_OUTPUT: TextPlace = { scope: 'tool-output', role: 'tool' }
export const PARAMETER: TextPlace = { scope: 'parameter', role: 'user' }

/** Which names of fields are texts. */
export interface NameRules {
  /** Names that the format gives: they stay, whatever a detector makes of them. */
  readonly known: ReadonlySet<string>
  /** Characters that the format's vendor takes. */
  readonly maxLength?: number
}

/** What a client or model has put there is data, names and all. */
export const ANY_NAME: NameRules = { known: new Set() }
