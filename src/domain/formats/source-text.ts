/** Where the media of a part is, as Anthropic writes it and others after it. */
import { isJsonObject, type JsonObject } from '../json.ts'
import { mediaTypeOf } from './opaque-text.ts'
import type { TextPlace } from './text-place.ts'
import type { TextWalk } from './text-walk.ts'

/** Visited for what they are. */
const SOURCE_FIELDS: ReadonlySet<string> = new Set(['data', 'url', 'content'])

/**
 * Visits what a text says in `holder.source`; other media and addresses stay.
 * @param visitContent where its `content` is more than a text
 */
export function visitSource(
  holder: JsonObject,
  place: TextPlace,
  walk: TextWalk,
  visitContent = (source: JsonObject) => walk.textOrAll(source, 'content', place),
): void {
  const { source } = holder
  if (!isJsonObject(source)) return walk.all(holder, 'source', place)
  visitContent(source)
  if (source.type === 'base64') walk.base64(source, 'data', mediaTypeOf(source), place)
  else if (source.type === 'text') walk.textOrAll(source, 'data', place)
  else walk.all(source, 'data', place)
  walk.address(source, 'url', place)
  walk.others(source, SOURCE_FIELDS, place)
}
