/** Where the media of a part is, as Anthropic writes it and others after it. */
import { asObject, type JsonObject } from '../json.ts'
import type { TextPlace, TextWalk } from './text-walk.ts'

const SOURCE_FIELDS: ReadonlySet<string> = new Set(['type', 'media_type', 'data', 'url', 'file_id', 'content'])

/** Visits what a text says in `holder.source`; other media and addresses stay. */
export function visitSource(holder: JsonObject, place: TextPlace, walk: TextWalk): void {
  const source = asObject(holder.source)
  if (source?.type === 'text') walk.text(source, 'data', place)
  if (source?.type === 'base64') walk.base64(source, 'data', source.media_type, place)
  walk.extrasIn(holder, 'source', SOURCE_FIELDS, place)
}
