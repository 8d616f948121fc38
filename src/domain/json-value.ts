/**
 * `JSON.parse` without a mistake of V8's (https://github.com/nodejs/node/issues/63785; Node 24.15 and 26.10 have it): once a
 * field `a\` has been read, the field `a\u0062` of any later document is read as `a\`. One client's request would change
 * another's, and a field could stand twice without being seen. So no name with an escape reaches the engine:
 *
 * 1. Few texts hold one, which costs a search for each string with a backslash. All others are read as ever.
 * 2. In the few, a stand-in takes the place of each such name, and of the same name written plainly: which of two fields
 *    with one name counts, the engine decides as ever.
 * 3. In what the engine makes of that, the objects concerned are made anew with their names.
 */
import { isContainer, isJsonObject, putField, type JsonObject, type JsonValue } from './json.ts'
import { endOfString, isFieldName, stringAt } from './json-text.ts'

// oxlint-disable-next-line no-control-regex -- that is what is looked for
const CONTROL = /[\u0000-\u001f]/

/** Different ones: each costs several microseconds, and far fewer stand in what encoders write. */
const MAX_ESCAPED_NAMES = 50_000

/** Of a text that may be JSON. */
export class TooManyNamesError extends SyntaxError {
  override name = 'TooManyNamesError'

  constructor() {
    super(`more than ${MAX_ESCAPED_NAMES} different names with escapes`)
  }
}

/** The value of a JSON text. @throws {SyntaxError} as `JSON.parse` does; {TooManyNamesError} */
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

/** The name of a field, and where it stands in the text, without quotes. */
interface WrittenName {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A text that is no JSON stays one: a string takes the place of a string. */
function readByStandIns(text: string): JsonValue {
  const names: WrittenName[] = []
  const escaped = new Set<string>()
  const taken = new Set<string>()
  let end = -1
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', end + 1)) {
    end = endOfString(text, open)
    if (!isFieldName(text, end)) continue
    // Of a string alone the engine makes no mistake.
    const name = stringAt(text, open, end)
    names.push({ name, start: open + 1, end })
    if (name.length < end - open - 1) escaped.add(name)
    else if (name.startsWith(MARK)) taken.add(name)
  }
  if (escaped.size > MAX_ESCAPED_NAMES) throw new TooManyNamesError()
  const standIns = new StandIns(escaped, taken)
  const pieces: string[] = []
  let copied = 0
  for (const written of names) {
    const standIn = standIns.of(written.name)
    // What may stand in no string is left for the engine to refuse.
    if (standIn === undefined || CONTROL.test(text.slice(written.start, written.end))) continue
    pieces.push(text.slice(copied, written.start), standIn)
    copied = written.end
  }
  pieces.push(text.slice(copied))
  return standIns.putBack(JSON.parse(pieces.join('')))
}

/** What all stand-ins begin with. */
const MARK = '~'

/** Of the names with escapes in one text. */
class StandIns {
  readonly #byNames = new Map<string, string>()
  readonly #names = new Map<string, string>()

  /** @param taken names in the text that look like stand-ins */
  constructor(names: Iterable<string>, taken: ReadonlySet<string>) {
    let count = 0
    for (const name of names) {
      let standIn = `${MARK}${count++}`
      while (taken.has(standIn)) standIn = `${MARK}${count++}`
      this.#byNames.set(name, standIn)
      this.#names.set(standIn, name)
    }
  }

  of(name: string): string | undefined {
    return this.#byNames.get(name)
  }

  /** Not by recursion: depth is bounded elsewhere, where it is. */
  putBack(value: JsonValue): JsonValue {
    const root = this.#renamed(value)
    const pending: JsonValue[] = [root]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (Array.isArray(next)) {
        for (let index = 0; index < next.length; index++) {
          const item = next[index]
          if (isContainer(item)) pending.push((next[index] = this.#renamed(item)))
        }
      } else if (isJsonObject(next)) {
        for (const name in next) {
          const item = next[name]
          if (!isContainer(item)) continue
          const renamed = this.#renamed(item)
          if (renamed !== item) putField(next, name, renamed)
          pending.push(renamed)
        }
      }
    }
    return root
  }

  /** Another object, where it has one of the names: taking a field away costs the engine more than all of them anew. */
  #renamed(value: JsonValue): JsonValue {
    if (!isJsonObject(value) || !this.#isConcerned(value)) return value
    const renamed: JsonObject = {}
    for (const name in value) putField(renamed, this.#names.get(name) ?? name, value[name])
    return renamed
  }

  #isConcerned(object: JsonObject): boolean {
    for (const name in object) if (this.#names.has(name)) return true
    return false
  }
}
