/** One part of a content -> its neutral counterpart. A part that there is no word for stays in the document. */
import type {
  AssistantPart,
  AudioPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  ToolResultPart,
  UserPart,
} from '../../completion/request.ts'
import { asObject, asString, type JsonObject } from '../../json.ts'
import {
  objectAt,
  optionalBoolean,
  optionalObject,
  optionalString,
  requiredString,
  withoutUndefined,
} from '../fields.ts'
import { standardBase64 } from '../base64.ts'
import type { CallIds } from './call-ids.ts'
import { typeOfAddress } from './media-type.ts'
import { listIn, nameIn, valueIn } from './spelling.ts'
import { argumentsTextOf } from './tool-arguments.ts'

/** Text or media of a user's content. @throws {InvalidRequestError} */
export function parseUserPart(part: JsonObject, path: string): UserPart | undefined {
  const text = optionalString(part, 'text', path)
  if (text !== undefined) return text === '' ? undefined : { type: 'text', text }
  return parseMedia(part, path)
}

/** Text, thought or function call of a model's content. @throws {InvalidRequestError} */
export function parseModelPart(part: JsonObject, path: string, ids: CallIds): AssistantPart | undefined {
  const signature = optionalString(part, nameIn(part, 'thoughtSignature'), path)
  const text = optionalString(part, 'text', path)
  if (text !== undefined) {
    const isThought = optionalBoolean(part, 'thought', path) === true
    if (isThought) return withoutUndefined({ type: 'reasoning' as const, text, signature })
    return text === '' ? undefined : { type: 'text', text }
  }
  const call = optionalObject(part, nameIn(part, 'functionCall'), path)
  if (call === undefined) return undefined
  const callPath = `${path}.${nameIn(part, 'functionCall')}`
  const name = requiredString(call, 'name', callPath)
  return withoutUndefined({
    type: 'tool-call' as const,
    id: ids.ofCall(name, optionalString(call, 'id', callPath)),
    name,
    arguments: argumentsTextOf(optionalObject(call, 'args', callPath)),
    signature,
  })
}

/** The result of a function call; undefined where the part is none. @throws {InvalidRequestError} */
export function parseFunctionResponse(part: JsonObject, path: string, ids: CallIds): ToolResultPart | undefined {
  const field = nameIn(part, 'functionResponse')
  const response = optionalObject(part, field, path)
  if (response === undefined) return undefined
  const responsePath = `${path}.${field}`
  const name = requiredString(response, 'name', responsePath)
  const { text, isError } = readResponse(optionalObject(response, 'response', responsePath) ?? {})
  const toolCallId = ids.ofResult(name, optionalString(response, 'id', responsePath))
  return withoutUndefined({
    type: 'tool-result' as const,
    toolCallId,
    name,
    content: [{ type: 'text' as const, text }, ...parseResultMedia(response, responsePath)],
    isError: isError ? true : undefined,
  })
}

/** `output` and `error` are the vendor's names for what a function gives back; any other object is the output itself. */
function readResponse(response: JsonObject): { text: string; isError: boolean } {
  const [only, ...others] = Object.keys(response)
  const isWrapped = others.length === 0 && (only === 'output' || only === 'error')
  const value = isWrapped ? response[only] : response
  return {
    text: typeof value === 'string' ? value : JSON.stringify(value ?? null),
    isError: isWrapped && only === 'error',
  }
}

function parseResultMedia(response: JsonObject, path: string): (ImagePart | DocumentPart)[] {
  const { items, path: listPath } = listIn(response, 'parts', path)
  return items.flatMap((item, index) => {
    const media = parseMedia(objectAt(item, `${listPath}[${index}]`), `${listPath}[${index}]`)
    return media === undefined || media.type === 'audio' ? [] : media
  })
}

function parseMedia(part: JsonObject, path: string): ImagePart | AudioPart | DocumentPart | undefined {
  const inlineName = nameIn(part, 'inlineData')
  const inline = optionalObject(part, inlineName, path)
  if (inline !== undefined) {
    const mediaType = requiredString(inline, nameIn(inline, 'mimeType'), `${path}.${inlineName}`)
    const data = requiredString(inline, 'data', `${path}.${inlineName}`)
    return mediaPart({ type: 'base64', mediaType, data: standardBase64(data) }, mediaType, displayNameOf(inline))
  }
  const fileName = nameIn(part, 'fileData')
  const file = optionalObject(part, fileName, path)
  if (file === undefined) return undefined
  const uri = requiredString(file, nameIn(file, 'fileUri'), `${path}.${fileName}`)
  const mediaType = optionalString(file, nameIn(file, 'mimeType'), `${path}.${fileName}`) || typeOfAddress(uri)
  return mediaPart(fileSource(uri, mediaType), mediaType, displayNameOf(file))
}

function displayNameOf(data: JsonObject): string | undefined {
  return asString(valueIn(data, 'displayName'))
}

/** Files of the vendor's own stores mean nothing elsewhere; a public address does. */
const OWN_FILE = /^(?:gs:|https:\/\/generativelanguage\.googleapis\.com\/)/i
const ADDRESS = /^https?:\/\//i

/** Whether a URI names a file of the vendor's. */
function isOwnFile(uri: string): boolean {
  return OWN_FILE.test(uri) || !ADDRESS.test(uri)
}

function fileSource(uri: string, mediaType: string | undefined): MediaSource {
  if (isOwnFile(uri)) return withoutUndefined({ type: 'file' as const, id: uri, mediaType })
  return withoutUndefined({ type: 'url' as const, url: uri, mediaType })
}

function mediaPart(
  media: MediaSource,
  mediaType: string | undefined,
  name: string | undefined,
): ImagePart | AudioPart | DocumentPart | undefined {
  const kind = mediaType?.split('/', 1)[0]?.toLowerCase()
  if (kind === 'image') return { type: 'image', media }
  if (kind === 'audio') return { type: 'audio', media }
  // The neutral model has no word for video.
  return kind === 'video' ? undefined : withoutUndefined({ type: 'document' as const, media, name })
}

/** Whether a part is media that other formats know. */
export function isKnownMedia(part: JsonObject): boolean {
  const data = asObject(valueIn(part, 'inlineData')) ?? asObject(valueIn(part, 'fileData'))
  if (data === undefined) return false
  const mediaType = asString(valueIn(data, 'mimeType')) || typeOfAddress(asString(valueIn(data, 'fileUri')) ?? '')
  return !/^video\//i.test(mediaType ?? '')
}
