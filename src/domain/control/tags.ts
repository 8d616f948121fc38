import type { ControlHeader } from './control-header.ts'
import { invalidHeader, listElements, quoted } from './grammar.ts'

const NAME = 'x-llm-tags'

const MAX_TAGS = 16

/** Bytes on the wire. */
const MAX_TAG_VALUE_BYTES = 256

const KEY = /^[A-Za-z0-9_.-]{1,64}$/

const ASCII = /^[ -~]*$/

/** Of audit records: neither a tab nor anything that could break a line. */
const CONTROL_CHARACTER = /\p{Cc}/u

/**
 * Pairs for audit and usage records. The first `=` splits; a value may be UTF-8 and cannot hold a comma. An empty value
 * is refused: it is an unset variable, and would satisfy a required tag with nothing. Messages never show a value.
 */
export const tags = {
  name: NAME,
  cardinality: 'list',
  parse: (value) => ({ tags: Object.fromEntries(parsePairs(value)) }),
  privilegeFor: () => undefined,
} satisfies ControlHeader

function parsePairs(value: string): [string, string][] {
  const pairs = listElements(NAME, value, MAX_TAGS).map(parsePair)
  const keys = pairs.map(([key]) => key)
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index)
  if (repeated !== undefined) throw invalidHeader(NAME, `the key ${quoted(repeated)} is there twice`)
  return pairs.toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function parsePair(element: string, index: number): [string, string] {
  const split = element.indexOf('=')
  if (split === -1) throw invalidHeader(NAME, `element ${index + 1} is not a key=value pair such as team=search`)
  const key = element.slice(0, split)
  if (!KEY.test(key)) throw invalidHeader(NAME, `${quoted(key)} is not a key: 1 to 64 letters, digits, "_", "." or "-"`)
  return [key, parseValue(key, element.slice(split + 1))]
}

function parseValue(key: string, bytes: string): string {
  if (bytes === '') throw invalidHeader(NAME, `the value of ${quoted(key)} is empty`)
  if (bytes.length > MAX_TAG_VALUE_BYTES) {
    throw invalidHeader(NAME, `the value of ${quoted(key)} is longer than ${MAX_TAG_VALUE_BYTES} bytes`)
  }
  if (bytes.startsWith(' ') || bytes.startsWith('\t'))
    throw invalidHeader(NAME, `there is a blank after ${quoted(`${key}=`)}`)
  const text = ASCII.test(bytes) ? bytes : decodeUtf8(bytes)
  if (text === undefined || CONTROL_CHARACTER.test(text)) {
    throw invalidHeader(NAME, `the value of ${quoted(key)} is not printable UTF-8`)
  }
  return text
}

/** Node gives each byte of a header as one character. Undefined where these bytes are not UTF-8. */
function decodeUtf8(bytes: string): string | undefined {
  const octets = Uint8Array.from(bytes, (character) => character.charCodeAt(0))
  if (octets.some((octet, index) => octet !== bytes.charCodeAt(index))) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  } catch {
    return undefined
  }
}
