/**
 * Ids of tool calls as a model takes them. Mistral's API, and servers that use its tokenizer for its models, refuse every id
 * but nine letters and digits; all others take any.
 * @see https://github.com/mistralai/mistral-common
 */

const MISTRAL = /(?:^|[^a-z])(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)/i

const MISTRAL_ID = /^[A-Za-z0-9]{9}$/

/** The id for the model that a provider knows by `model`: itself where it is taken, else nine characters made of it. */
export function callIdFor(id: string, model: string): string {
  return !MISTRAL.test(model) || MISTRAL_ID.test(id) ? id : digest(id)
}

/** Two of FNV-1a's 32 bits, of which nine characters hold 46: they must differ, not withstand anyone. */
function digest(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x01000197)
  }
  const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
  return bits.toString(36).padStart(9, '0').slice(-9)
}
