/**
 * What the values of a JSON document take in memory beyond its text, judged from its bytes before anything is built: an
 * array of one number is 4 bytes of text and 64 in memory. A text of prose costs nothing here.
 *
 * One pass; strings are passed over by searching for quotes. Measured with documents of 3 MB that hold nothing else
 * (64-bit V8 without compressed pointers): arrays 13 to 24 bytes for one, judged 20 to 29; objects of one shape 2 to 5,
 * judged 6 to 14. Known limit: objects of which each has field names of its own take 17, judged 10.
 */

/** An object or array, with its place in what holds it, bytes. */
const CONTAINER_BYTES = 64
/** A value of an array or object: a pointer and, where it is no small number, what it points to, bytes. */
const VALUE_BYTES = 16
/** A field beside its value: where each object has names of its own, more; where all have the same, nothing. */
const FIELD_BYTES = 32

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Bytes, at least. Of what is not JSON, any number. */
export function structureCost(body: Uint8Array): number {
  let cost = 0
  for (let index = 0; index < body.length; index++) {
    switch (body[index]) {
      case QUOTE:
        index = endOfString(body, index)
        break
      case 0x7b: // {
      case 0x5b: // [
        cost += CONTAINER_BYTES
        break
      case 0x2c: // ,
        cost += VALUE_BYTES
        break
      case 0x3a: // :
        cost += FIELD_BYTES
    }
  }
  return cost
}

/** Where the string ends that begins at `start`; the document's end where it does not. */
function endOfString(body: Uint8Array, start: number): number {
  let end = body.indexOf(QUOTE, start + 1)
  while (end !== -1 && isEscaped(body, end)) end = body.indexOf(QUOTE, end + 1)
  return end === -1 ? body.length : end
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(body: Uint8Array, index: number): boolean {
  let first = index
  while (body[first - 1] === BACKSLASH) first--
  return (index - first) % 2 === 1
}
