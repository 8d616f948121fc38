/**
 * Where each string of a JSON text stands, told without parsing the text: the field, and what its siblings say of it. Linear: a
 * look at the fields that follow is bounded.
 */
import { endOfString, isFieldName, stringAt } from '../json-text.ts'
import type { JsonObject } from '../json.ts'
import { fieldNameOf, NAMING, VALUE_FIELDS } from './field-name-of.ts'
import { DATA_FIELDS, MEDIA_TYPE_NAMES } from './opaque-text.ts'

export interface JsonPlace {
  /** The field; '' of a list's item and of the text's only string. */
  readonly key: string
  /** Fields beside it that name it or give its type. */
  readonly siblings: JsonObject
  /** @see fieldNameOf */
  readonly fieldName: string
}

export const NO_PLACE: JsonPlace = { key: '', siblings: {}, fieldName: '' }

/** Fields that a sibling tells about are looked for this many fields ahead. */
const MOST_FIELDS_AHEAD = 8

/** An object or list that is open. */
interface Holder {
  /** The name that it stands under. */
  readonly fieldName: string
  readonly isList: boolean
  /** The field that was read last. */
  key: string
  siblings: JsonObject
}

export class JsonFields {
  readonly #text: string
  readonly #open: Holder[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The place of the string `[open, close]`, which is the next. */
  placeOf(open: number, close: number, decoded: string, isName: boolean): JsonPlace {
    this.#readTo(open)
    this.#at = close + 1
    const holder = this.#open.at(-1)
    if (holder === undefined) return NO_PLACE
    if (isName) {
      holder.key = decoded
      return NO_PLACE
    }
    const { key, isList, fieldName } = holder
    if (isList) return { ...NO_PLACE, fieldName }
    if (TELLING_FIELDS.has(key)) holder.siblings = { ...holder.siblings, [key]: decoded }
    const siblings = this.#siblingsOf(holder, close)
    return { key, siblings, fieldName: fieldNameOf(siblings, key, fieldName) }
  }

  /** Opens and closes what stands before the next string. */
  #readTo(end: number): void {
    for (let at = this.#at; at < end; at++) {
      const unit = this.#text.charCodeAt(at)
      if (unit === 0x7b || unit === 0x5b) this.#enter(unit === 0x5b)
      else if (unit === 0x7d || unit === 0x5d) this.#open.pop()
    }
  }

  #enter(isList: boolean): void {
    this.#open.push({ fieldName: this.#fieldName(), isList, key: '', siblings: NO_PLACE.siblings })
  }

  #fieldName(): string {
    const holder = this.#open.at(-1)
    if (holder === undefined) return ''
    return holder.isList ? holder.fieldName : fieldNameOf(holder.siblings, holder.key, holder.fieldName)
  }

  #siblingsOf({ key, siblings }: Holder, close: number): JsonObject {
    return TOLD_FIELDS.has(key) ? { ...siblingsBehind(this.#text, close + 1), ...siblings } : siblings
  }
}

/** What a sibling may tell about. */
const TOLD_FIELDS: ReadonlySet<string> = new Set([...VALUE_FIELDS, ...DATA_FIELDS])
const TELLING_FIELDS: ReadonlySet<string> = new Set([...NAMING, ...MEDIA_TYPE_NAMES])

const NEXT_FIELD = /[ \t\r\n]*,[ \t\r\n]*(?=")/y
const COLON = /[ \t\r\n]*:[ \t\r\n]*/y
const SCALAR = /[-+.\w]+/y

/** The telling ones of the fields behind a value, up to the first that is neither a string, a number nor a word. */
function siblingsBehind(text: string, from: number): JsonObject {
  const siblings: JsonObject = {}
  let at = from
  for (let count = 0; count < MOST_FIELDS_AHEAD; count++) {
    const open = endOf(NEXT_FIELD, text, at)
    if (open === undefined) break
    const close = endOfString(text, open)
    const value = isFieldName(text, close) ? endOf(COLON, text, close + 1) : undefined
    if (value === undefined) break
    const isString = text.charAt(value) === '"'
    const end = isString ? endOfString(text, value) + 1 : endOf(SCALAR, text, value)
    if (end === undefined) break
    const name = stringAt(text, open, close)
    if (isString && TELLING_FIELDS.has(name)) siblings[name] = stringAt(text, value, end - 1)
    at = end
  }
  return siblings
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
