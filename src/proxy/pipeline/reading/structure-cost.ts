/**
 * What the values of a JSON document take in memory beyond its text, judged from its bytes before anything is built: an
 * array of one number is 4 bytes of text and 64 in memory. A text of prose costs nothing here.
 *
 * One pass; strings are passed over by searching for quotes. Objects with the same fields share a shape, others have one
 * each: names of fields are remembered, the last one in each place of a small table, and one that is not there is new.
 * Measured with documents of 3 MB that hold nothing else (64-bit V8 without compressed pointers), bytes for one of text:
 * arrays 13 to 24, judged 20 to 29; objects of one shape 2 to 5, judged 4 to 12; of a shape each 14 to 23, judged 17 to 23.
 */

/** An object or array, with its place in what holds it, bytes. */
const CONTAINER_BYTES = 64
/** A value of an array or object: a pointer and, where it is no small number, what it points to, bytes. */
const VALUE_BYTES = 16
/** A field whose name is new: the name, and the shape or the entry of a dictionary that it makes, bytes. */
const NEW_NAME_BYTES = 160

/** More names than a client's documents have in common. A power of two. */
const REMEMBERED_NAMES = 4_096
/** Longer names have so much text that what they make is little beside it. */
const MAX_NAME_BYTES = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Kept: making and clearing one takes longer than passing over a body of a few KiB. A document's names are salted. */
const names = new Int32Array(REMEMBERED_NAMES)
let salt = 0

/** Bytes, about. Of what is not JSON, any number. */
export function structureCost(body: Uint8Array): number {
  salt = Math.imul(salt + 1, 0x9e3779b1)
  let cost = 0
  let start = 0
  let end = 0
  for (let index = 0; index < body.length; index++) {
    switch (body[index]) {
      case QUOTE:
        start = index
        end = index = endOfString(body, index)
        break
      case 0x7b: // {
      case 0x5b: // [
        cost += CONTAINER_BYTES
        break
      case 0x2c: // ,
        cost += VALUE_BYTES
        break
      case 0x3a: // : after a name
        cost += VALUE_BYTES
        if (end - start <= MAX_NAME_BYTES && isNew(hashOf(body, start + 1, end))) cost += NEW_NAME_BYTES
    }
  }
  return cost
}

function isNew(hash: number): boolean {
  const place = hash & (REMEMBERED_NAMES - 1)
  const salted = hash ^ salt
  if (names[place] === salted) return false
  names[place] = salted
  return true
}

/** FNV-1a, 32 bits; which names share a place is nothing to gain by: they count as new. */
function hashOf(body: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (body[index] ?? 0), 0x01000193)
  return hash ^ (hash >>> 15)
}

/**
 * Where the string ends that begins at `start`; the document's end where it does not. `json-text.ts` has the same for text,
 * in which the engine searches many times faster: there the document has room, here that is to be found out.
 */
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
