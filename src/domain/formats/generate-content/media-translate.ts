/** Images, documents and audio -> parts of this format. */
import type { AudioPart, DocumentPart, ImagePart, MediaSource, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { titled } from '../text-media.ts'
import { typeOfAddress } from './media-type.ts'

/** Where the address does not say: the vendor wants a type, and other formats do not say one. */
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
      return {
        fileData: { mimeType: media.mediaType ?? typeOfAddress(media.url) ?? FALLBACK_TYPE[kind], fileUri: media.url },
      }
    case 'file':
      warnings.push({ field: path, message: "media by another vendor's file id cannot be carried over" })
      return undefined
  }
}
