/** What a file is, told by its address: the vendor's clients may leave the type out, other formats have no place for it. */

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
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
}

/** Addresses of videos that the vendor fetches, without any extension. */
const VIDEO = /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com|youtu\.be)\//i

/** The media type; undefined where the address does not say. */
export function typeOfAddress(url: string): string | undefined {
  if (VIDEO.test(url)) return 'video/mp4'
  const path = URL.parse(url)?.pathname ?? ''
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return TYPE_OF_EXTENSION[extension]
}
