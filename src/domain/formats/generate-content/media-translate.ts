/** Images, documents and audio -> parts of this format. */
import type { AudioPart, DocumentPart, ImagePart, MediaSource, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import { titled } from '../text-media.ts'

/** By the end of an address: the vendor wants a type, and other formats do not say one. */
const TYPE_OF_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
}
const FALLBACK_TYPE = { image: 'image/jpeg', document: 'application/pdf', audio: 'audio/wav' } as const

/** The part; undefined, with a warning, where the media cannot be carried over. */
export function renderMedia(
  part: ImagePart | DocumentPart | AudioPart,
  path: string,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  if (part.type === 'image' && part.detail !== undefined && part.detail !== 'auto') {
    warnings.push({
      field: `${path}.detail`,
      message: 'generate-content has no such field for one image; it was left out',
    })
  }
  if (part.media.type === 'text') {
    return { text: titled(part.type === 'document' ? part.name : undefined, part.media.text) }
  }
  return renderSource(part.media, part.type, path, warnings)
}

function renderSource(
  media: MediaSource,
  kind: keyof typeof FALLBACK_TYPE,
  path: string,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  switch (media.type) {
    case 'base64':
      return { inlineData: { mimeType: media.mediaType, data: media.data } }
    case 'url':
      return { fileData: withoutUndefined({ mimeType: media.mediaType ?? guess(media.url, kind), fileUri: media.url }) }
    case 'file':
      warnings.push({ field: path, message: "media by another vendor's file id cannot be carried over" })
      return undefined
  }
}

function guess(url: string, kind: keyof typeof FALLBACK_TYPE): string {
  const extension = /\.([A-Za-z0-9]{1,5})(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''
  return TYPE_OF_EXTENSION[extension] ?? FALLBACK_TYPE[kind]
}
