/** Whether a document's bytes can hold redaction tokens: asked before its texts are walked for them. */
import { TOKEN_PREFIX } from '../../../domain/guardrails/masking/restoring/redaction-token.ts'

const TOKEN_WORD = Buffer.from(TOKEN_PREFIX.slice(2))
/** How JSON escapes what is in ASCII: letters written so can spell the prefix too. */
const ESCAPED_ASCII = Buffer.from('\\u00')

/** False is certain: no text of the JSON document in `bytes`, nor of JSON in a text of it, holds a token. */
export function mayHoldTokens(bytes: Uint8Array): boolean {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.includes(TOKEN_WORD) || buffer.includes(ESCAPED_ASCII)
}
