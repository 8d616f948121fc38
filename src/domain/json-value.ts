/**
 * `JSON.parse` without a mistake of V8's (https://github.com/nodejs/node/issues/63785; Node 24.15 and 26.10 have it): once a
 * field `a\` has been read, the field `a\u0062` of any later document is read as `a\`. One client's request would change
 * another's, and a field could stand twice without being seen. So no name with an escape reaches the engine:
 *
 * 1. Few texts hold one, which costs a search for each string with a backslash. All others are read as ever.
 * 2. In the few, stand-ins take the place of all names: `e` and a number for one with an escape, `p` and itself for another.
 * 3. What the engine makes of that gets its names back.
 */
import { isJsonObject, putField, type JsonObject, type JsonValue } from './json.ts'
import { endOfString, isFieldName, stringAt } from './json-text.ts'

/** The value of a JSON text. @throws {SyntaxError} as `JSON.parse` does */
export function jsonValue(text: string): JsonValue {
  return holdsEscapedName(text) ? readByStandIns(text) : JSON.parse(text)
}

/** Also of a text that is no JSON: then either answer may come. */
function holdsEscapedName(text: string): boolean {
  let end = -1
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', end + 1)) {
    end = endOfString(text, at - 1)
    if (isFieldName(text, end)) return true
  }
  return false
}

/** A text that is no JSON stays one: a string takes the place of a string. */
function readByStandIns(text: string): JsonValue {
  const escaped: string[] = []
  const pieces: string[] = []
  let copied = 0
  let end = -1
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', end + 1)) {
    end = endOfString(text, open)
    if (!isFieldName(text, end)) continue
    const literal = text.slice(open, end + 1)
    // Of a string alone the engine makes no mistake.
    const standIn = literal.includes('\\')
      ? `"e${escaped.push(stringAt(text, open, end)) - 1}"`
      : `"p${literal.slice(1)}`
    pieces.push(text.slice(copied, open), standIn)
    copied = end + 1
  }
  pieces.push(text.slice(copied))
  const value: JsonValue = JSON.parse(pieces.join(''))
  putNamesBack(value, escaped)
  return value
}

/** In place, and not by recursion: depth is bounded elsewhere, where it is. */
function putNamesBack(value: JsonValue, escaped: readonly string[]): void {
  const pending = [value]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (isJsonObject(next)) renameAll(next, escaped)
    if (typeof next !== 'object' || next === null) continue
    for (const inner of Object.values(next)) if (typeof inner === 'object' && inner !== null) pending.push(inner)
  }
}

/** Of fields with one name the last counts, as ever. */
function renameAll(object: JsonObject, escaped: readonly string[]): void {
  const fields = Object.entries(object)
  for (const [standIn] of fields) delete object[standIn]
  for (const [standIn, value] of fields) {
    const name = standIn.startsWith('p') ? standIn.slice(1) : (escaped[Number(standIn.slice(1))] ?? '')
    putField(object, name, value)
  }
}
