/** Text inside a request or answer, as guardrails see it: where it stands and what it says, no wire format. */

/**
 * Where a text stands. Tool output and retrieved documents are the places that indirect injection comes from. A
 * `parameter` goes to the provider beside the prompt (stop sequences, the end user's id, metadata): no model reads it.
 */
export type TextScope = 'system' | 'message' | 'tool-definition' | 'tool-input' | 'tool-output' | 'parameter'

export const TEXT_SCOPES: readonly TextScope[] = [
  'system',
  'message',
  'tool-definition',
  'tool-input',
  'tool-output',
  'parameter',
]

export interface TextSpan {
  readonly scope: TextScope
  /** Characters that the format's vendor takes here; absent where it states no bound. */
  readonly maxLength?: number
  /** Who wrote it, where the scope is `message`. */
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly text: string
  /** The name of a field that a client or model chose, not what the field holds. */
  readonly isName?: true
  /**
   * Of a text in a field that a client or model has named: that name, which may tell what the text is. Where several names may,
   * as in `{"password": {"name": "x", "value": "..."}}`, each has a line, the likeliest the first.
   */
  readonly fieldName?: string
}

/**
 * Visits one text and returns what shall stand in its place: the same string to leave it as it is.
 * A codec calls it for every text of a document in the document's order; JSON texts (tool arguments) are visited leaf
 * by leaf, decoded, so that escapes hide nothing. The names of the fields in what a client or model made are texts too.
 */
export type TextVisitor = (span: TextSpan) => string
