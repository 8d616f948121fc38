/**
 * The grammar that control headers share. Lists follow RFC 9110 section 5.6.1 `1#element`: elements are separated by
 * commas, spaces and tabs around them do not count, empty elements are ignored, and at least one must remain. A list
 * of nothing is refused because it is what an unset variable in a client's template leaves behind.
 */
import { InvalidControlHeaderError } from '../errors.ts'

/** Characters of a field value, all its lines joined. Node's default for a whole header section. */
export const MAX_VALUE_CHARACTERS = 16_384

/** What a message shows of a bad value. */
const MAX_QUOTED_CHARACTERS = 40

/** Starts with a letter or digit; a star at the end only; no blank, quote or bracket, which would be a syntax we do not have. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]*\*?$/

/** The error of `header`; `reason` reads after "x-llm-…: ". */
export function invalidHeader(header: string, reason: string): InvalidControlHeaderError {
  return new InvalidControlHeaderError(`${header}: ${reason}`, header)
}

/** The elements of a list, trimmed, in their order. @throws {InvalidControlHeaderError} where none or more than `max`. */
export function listElements(header: string, value: string, max: number): string[] {
  assertLength(header, value)
  const elements = value
    .split(',')
    .map(trimBlanks)
    .filter((element) => element !== '')
  if (elements.length === 0) throw invalidHeader(header, 'the list is empty')
  if (elements.length > max) throw invalidHeader(header, `more than ${max} elements`)
  return elements
}

/** A single value, trimmed. @throws {InvalidControlHeaderError} where it is empty. */
export function singleValue(header: string, value: string): string {
  assertLength(header, value)
  const trimmed = trimBlanks(value)
  if (trimmed === '') throw invalidHeader(header, 'the value is empty')
  return trimmed
}

/** One of `words`, in any case. @throws {InvalidControlHeaderError} */
export function keyword<Word extends string>(header: string, value: string, words: readonly Word[]): Word {
  const lower = value.toLowerCase()
  const word = words.find((candidate) => candidate === lower)
  if (word === undefined) throw invalidHeader(header, `${quoted(value)} is not one of ${words.join(', ')}`)
  return word
}

/** Names of providers or models, or their beginnings (`gpt-4.1-*`). @throws {InvalidControlHeaderError} where one is too long or no name at all. */
export function names(header: string, value: string, limits: { elements: number; characters: number }): string[] {
  const elements = listElements(header, value, limits.elements)
  for (const element of elements) {
    if (element.length > limits.characters)
      throw invalidHeader(header, `a name is longer than ${limits.characters} characters`)
    if (!NAME.test(element))
      throw invalidHeader(header, `${quoted(element)} is not a name (a star may end it; no blanks, no quotes)`)
  }
  return elements
}

/** Sorted and without repeats: the canonical order of a change's lists. */
export function canonicalList<Element extends string>(elements: readonly Element[]): Element[] {
  return [...new Set(elements)].toSorted()
}

/** A client's text for a message: short, printable ASCII, in quotes. */
export function quoted(text: string): string {
  const printable = text.slice(0, MAX_QUOTED_CHARACTERS).replace(/[^ -~]/g, '?')
  return `"${printable}${text.length > MAX_QUOTED_CHARACTERS ? '...' : ''}"`
}

function assertLength(header: string, value: string): void {
  if (value.length > MAX_VALUE_CHARACTERS) throw invalidHeader(header, `longer than ${MAX_VALUE_CHARACTERS} bytes`)
}

/** RFC 9110 OWS only: `trim()` would also eat no-break spaces. A loop, as `[ \t]+$` is quadratic on long runs of blanks. */
function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
