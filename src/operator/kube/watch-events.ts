import { asObject, asString, isJsonObject } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import { errorOfStatus, KubeError, LOCAL_REASONS } from './kube-error.ts'
import { isKubeObject } from './kube-object.ts'
import type { KubeObject } from './kube-object.ts'

/** etcd holds 1.5 MiB; JSON escapes and managedFields make it a few times that. */
const MAX_LINE_BYTES = 16 << 20
const NEWLINE = 0x0a

/** What a watch tells. `changed` covers ADDED and MODIFIED: nobody may rely on the difference. */
export type WatchEvent =
  | { readonly type: 'object-changed'; readonly object: KubeObject }
  | { readonly type: 'object-deleted'; readonly object: KubeObject }
  /** Nothing happened up to this version. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }

/**
 * The events of a watch's body.
 * @throws KubeError for an ERROR event (410: list again) and for anything that is not an event.
 */
export async function* decodeWatchEvents(body: AsyncIterable<Buffer>): AsyncGenerator<WatchEvent, void, undefined> {
  for await (const line of decodeLines(body)) {
    const event = parseEvent(line)
    if (event !== undefined) yield event
  }
}

async function* decodeLines(body: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let open: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      open.push(chunk.subarray(start, end))
      yield Buffer.concat(open).toString('utf8')
      open = []
      size = 0
      start = end + 1
    }
    if (start === chunk.length) continue
    open.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > MAX_LINE_BYTES) throw malformed(`an event is larger than ${MAX_LINE_BYTES} bytes`)
  }
  // A rest without a line end is an event that was cut off: the next watch tells it again.
}

function parseEvent(line: string): WatchEvent | undefined {
  if (line.trim() === '') return undefined
  const event = parseLine(line)
  const type = event['type']
  const object = asObject(event['object'])
  if (type === 'ERROR') throw errorOfStatus(object ?? {})
  if (type === 'BOOKMARK') {
    const resourceVersion = asString(asObject(object?.['metadata'])?.['resourceVersion'])
    if (resourceVersion !== undefined) return { type: 'bookmark', resourceVersion }
  }
  if (isKubeObject(object) && object.metadata.resourceVersion !== undefined) {
    if (type === 'ADDED' || type === 'MODIFIED') return { type: 'object-changed', object }
    if (type === 'DELETED') return { type: 'object-deleted', object }
  }
  throw malformed(`not an event of a watch: type ${JSON.stringify(type)?.slice(0, 40)}`)
}

function parseLine(line: string): JsonObject {
  try {
    const event: unknown = JSON.parse(line)
    if (isJsonObject(event)) return event
  } catch {
    // Without a cause: the error of JSON.parse quotes the line, which may hold a Secret.
  }
  throw malformed('a line of a watch is not a JSON object')
}

function malformed(message: string): KubeError {
  return new KubeError(message, { status: 0, reason: LOCAL_REASONS.malformed })
}
