/**
 * The texts of a model's turn. A client that replays a stream sends every chunk as a part, or as a content of its own, cut
 * anywhere: inside an address, say. Texts in a row are therefore visited as one; where that changes them, the last part,
 * which may be signed, takes the whole text and the others go.
 */
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { TextPlace } from '../text-place.ts'
import type { TextWalk } from '../text-walk.ts'
import { visitPart } from './part-text.ts'
import { camelOf, itemsIn, nameIn } from './spelling.ts'

/** Visits adjacent contents of one turn. @returns the contents that have lost all of their parts. */
export function visitTurn(contents: readonly JsonObject[], place: TextPlace, walk: TextWalk): JsonObject[] {
  const gone = new Set<unknown>()
  for (const run of runsOf(contents.flatMap((content) => itemsIn(content, 'parts').filter(isJsonObject)))) {
    const others = run.slice(0, -1)
    const last = run.at(-1)
    if (last === undefined) continue
    if (others.length === 0) visitPart(last, place, walk)
    else if (visitJoined(last, run, place, walk)) for (const part of others) gone.add(part)
  }
  return gone.size === 0 ? [] : contents.filter((content) => removeParts(content, gone))
}

/** Parts that are one text together; every other part stands alone. A signature ends its text. */
function runsOf(parts: readonly JsonObject[]): JsonObject[][] {
  const runs: JsonObject[][] = []
  let open: Kind | undefined
  for (const part of parts) {
    const kind = kindOf(part)
    const run = runs.at(-1)
    if (run !== undefined && kind !== undefined && kind === open) run.push(part)
    else runs.push([part])
    open = nameIn(part, 'thoughtSignature') in part ? undefined : kind
  }
  return runs
}

type Kind = 'text' | 'thought'

const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])

/** Undefined for a part that holds more than text: it must stay as it is. */
function kindOf(part: JsonObject): Kind | undefined {
  if (typeof part.text !== 'string') return undefined
  if (Object.keys(part).some((field) => !TEXT_FIELDS.has(camelOf(field)))) return undefined
  return part.thought === true ? 'thought' : 'text'
}

function visitJoined(last: JsonObject, run: readonly JsonObject[], place: TextPlace, walk: TextWalk): boolean {
  const text = run.map((part) => String(part.text)).join('')
  const holder: JsonObject = { text }
  walk.text(holder, 'text', place)
  if (holder.text === text) return false
  last.text = holder.text
  return true
}

/** @returns whether no part is left. */
function removeParts(content: JsonObject, gone: ReadonlySet<unknown>): boolean {
  const parts = itemsIn(content, 'parts')
  const left = parts.filter((part) => !gone.has(part))
  if (left.length < parts.length) content.parts = left
  return left.length === 0 && parts.length > 0
}
