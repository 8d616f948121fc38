/**
 * Visits the strings inside JSON text without parsing it into values: what is not changed keeps its bytes, so that
 * long integers, number formats, duplicate keys and spaces survive (a parse and a stringify would round 64-bit ids).
 */
import { isJson } from '../json-parse.ts'
import { endOfString, isFieldName, stringAt } from '../json-text.ts'
import { FieldNames } from './field-names.ts'
import { JsonFields, NO_PLACE, type JsonPlace } from './json-fields.ts'

/** What shall stand in the place of a string, whose quotes are at `open` and `close`. */
interface Change {
  readonly open: number
  readonly close: number
  readonly text: string
  readonly isName: boolean
}

/**
 * Replaces each string, values and names of fields, by what `visit` returns for the decoded string. Text that is not
 * valid JSON is visited as one plain text.
 */
export function rewriteJsonStrings(
  text: string,
  visit: (decoded: string, isName: boolean, place: JsonPlace) => string,
): string {
  if (text === '') return text
  if (!isJson(text)) return visit(text, false, NO_PLACE)
  const changes: Change[] = []
  const fields = new JsonFields(text)
  for (let open = text.indexOf('"'); open !== -1;) {
    const close = endOfString(text, open)
    const isName = isFieldName(text, close)
    const decoded = stringAt(text, open, close)
    const place = fields.placeOf(open, close, decoded, isName)
    const replacement = visit(decoded, isName, place)
    if (replacement !== decoded) changes.push({ open, close, text: replacement, isName })
    open = text.indexOf('"', close + 1)
  }
  return changed(text, changes.some(({ isName }) => isName) ? withFreeNames(text, changes) : changes)
}

function changed(text: string, changes: readonly Change[]): string {
  let rewritten = ''
  let copied = 0
  for (const change of changes) {
    rewritten += text.slice(copied, change.open) + JSON.stringify(change.text)
    copied = change.close + 1
  }
  return copied === 0 ? text : rewritten + text.slice(copied)
}

/** The changes, and those of names that a field before, of the same object, has taken. Read only where names change. */
function withFreeNames(text: string, changes: readonly Change[]): Change[] {
  const free: Change[] = []
  const objects: ObjectNames[] = []
  let next = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') objects.push(new ObjectNames())
    else if (text[at] === '}') objects.pop()
    if (text[at] !== '"') continue
    const change = changes[next]?.open === at ? changes[next++] : undefined
    const named = nameChange(text, at, objects.at(-1), change)
    if (named !== undefined) free.push(named)
    at = endOfString(text, at)
  }
  return free
}

function nameChange(
  text: string,
  open: number,
  names: ObjectNames | undefined,
  change: Change | undefined,
): Change | undefined {
  const close = endOfString(text, open)
  if (names === undefined || !isFieldName(text, close)) return change
  const name = stringAt(text, open, close)
  const given = names.nameFor(name, change?.text ?? name)
  return given === name ? undefined : { open, close, text: given, isName: true }
}

/** Names in one object of the text: those that are equal stay equal, others never become so. */
class ObjectNames {
  readonly #names = new FieldNames()
  readonly #given = new Map<string, string>()

  nameFor(name: string, wanted: string): string {
    const given = this.#given.get(name) ?? this.#names.take(wanted)
    this.#given.set(name, given)
    return given
  }
}
