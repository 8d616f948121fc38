/** Content blocks that a user, or the result of a tool, may hold: text, images, documents, search results. */
import type { DocumentPart, ImagePart, MediaSource, TextPart } from '../../completion/request.ts'
import { asArray, asObject, asString, type JsonObject, type JsonValue } from '../../json.ts'
import { optionalString, requiredObject, requiredString } from '../fields.ts'

type UserBlock = TextPart | ImagePart | DocumentPart

/** Between the texts of a document in several blocks. */
const PARAGRAPH = '\n\n'

/** The block as parts; undefined where its type is none of these. @throws {InvalidRequestError} naming the field. */
export function parseUserBlock(
  block: JsonObject,
  type: string,
  path: string,
): UserBlock | readonly UserBlock[] | undefined {
  switch (type) {
    case 'image':
      return parseImage(block, path)
    case 'document':
      return parseDocument(block, path)
    case 'search_result':
      return document({ type: 'text', text: textOf(block.content) }, block, path)
    default:
      return parseText(block, type, path)
  }
}

/** A text block; undefined where it is another. @throws {InvalidRequestError} naming the field. */
export function parseText(block: JsonObject, type: string, path: string): TextPart | undefined {
  if (type !== 'text') return undefined
  return { type: 'text', text: requiredString(block, 'text', path), ...cacheControlOf(block) }
}

/** The mark that ends a cached prefix, as the client wrote it. */
export function cacheControlOf(block: JsonObject): { cacheControl?: JsonValue } {
  const cacheControl = block.cache_control
  return cacheControl === undefined || cacheControl === null ? {} : { cacheControl }
}

function parseImage(block: JsonObject, path: string): ImagePart | undefined {
  const media = parseMedia(requiredObject(block, 'source', path), `${path}.source`)
  return media && { type: 'image', media, ...cacheControlOf(block) }
}

function parseDocument(block: JsonObject, path: string): UserBlock | readonly UserBlock[] | undefined {
  const source = requiredObject(block, 'source', path)
  const sourcePath = `${path}.source`
  switch (requiredString(source, 'type', sourcePath)) {
    case 'text':
      return document({ type: 'text', text: requiredString(source, 'data', sourcePath) }, block, path)
    case 'content':
      return parseContentSource(source.content, block, path)
    default: {
      const media = parseMedia(source, sourcePath)
      // A URL is a PDF's, the only kind that the vendor takes by URL.
      if (media?.type === 'url') return document({ ...media, mediaType: 'application/pdf' }, block, path)
      return media && document(media, block, path)
    }
  }
}

/** A document in blocks: its texts as one, then its pictures. */
function parseContentSource(content: JsonValue | undefined, block: JsonObject, path: string): UserBlock[] {
  const images = asArray(content).flatMap((value, index) => {
    const item = asObject(value)
    return item?.type === 'image' ? (parseImage(item, `${path}.source.content[${index}]`) ?? []) : []
  })
  const text = document({ type: 'text', text: textOf(content) }, block, path)
  const isPictureOnly = images.length > 0 && text.name === undefined && textOf(content) === ''
  return isPictureOnly ? images : [text, ...images]
}

function document(media: DocumentPart['media'], block: JsonObject, path: string): DocumentPart {
  const name = optionalString(block, 'title', path)
  return { type: 'document', media, ...(name ? { name } : {}), ...cacheControlOf(block) }
}

function parseMedia(source: JsonObject, path: string): MediaSource | undefined {
  switch (requiredString(source, 'type', path)) {
    case 'base64':
      return {
        type: 'base64',
        mediaType: requiredString(source, 'media_type', path),
        data: requiredString(source, 'data', path),
      }
    case 'url':
      return { type: 'url', url: requiredString(source, 'url', path) }
    case 'file':
      return { type: 'file', id: requiredString(source, 'file_id', path) }
    default:
      return undefined
  }
}

/** The texts of a string or of text blocks. */
function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  return asArray(content)
    .flatMap((item) => asString(asObject(item)?.text) ?? [])
    .join(PARAGRAPH)
}
