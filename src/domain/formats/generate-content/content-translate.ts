/**
 * Neutral messages -> contents. A step's calls stand together in one content and their results in the next, as the vendor requires. There
 * is one system instruction, before everything: later ones are moved there. A step that calls is not the beginning, and with the newer
 * models an answer is not the end.
 */
import type {
  AssistantPart,
  CompletionRequest,
  Message,
  ToolCallPart,
  ToolResultPart,
  TranslationWarning,
  UserPart,
} from '../../completion/request.ts'
import { asObject, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import { InnerJson } from '../inner-json.ts'
import { BEGINNING, endsInSilence, GO_ON, SILENT_TURN, warnOfSilence } from '../silent-turn.ts'
import { textOfResultPart } from '../text-media.ts'
import { FOREIGN_SIGNATURE } from './foreign-calls.ts'
import { renderMedia } from './media-translate.ts'
import { traitsOf } from './model-traits.ts'
import { itemsIn, nameIn } from './spelling.ts'
import { argumentsOf } from './tool-arguments.ts'

/** `contents` and `systemInstruction`. Adds to `warnings` what is lost. */
export function translateContents(
  request: CompletionRequest,
  model: string,
  warnings: TranslationWarning[],
): JsonObject {
  const context: Context = {
    names: namesOfCalls(request.messages),
    requiresSignature: traitsOf(model).requiresSignature,
    inner: new InnerJson(),
    warnings,
  }
  const system = systemParts(request, warnings)
  const contents = merged(request.messages).flatMap<JsonObject>(([message, index]) => {
    const parts = partsOf(message, `messages[${index}]`, context)
    return parts.length === 0 ? [] : [{ role: message.role === 'assistant' ? 'model' : 'user', parts }]
  })
  // Instructions alone are no request to this vendor: they are then what the user says.
  if (contents.length === 0 && system.length > 0) return { contents: [{ role: 'user', parts: system }] }
  if (contents.at(-1)?.role !== 'user' && endsInSilence(request.messages)) {
    warnOfSilence(request.messages, warnings)
    contents.push(turnOfUser(SILENT_TURN))
  }
  if (isOfModel(contents[0]) && hasCalls(contents[0])) {
    warnings.push({
      field: 'messages[0]',
      message: "a user's turn was put before the call, as generate-content demands",
    })
    contents.unshift(turnOfUser(BEGINNING))
  }
  if (!traitsOf(model).lastWord && isAnswer(contents.at(-1))) {
    contents.push(goOnBehind(`messages[${request.messages.length - 1}]`, warnings))
  }
  return withoutUndefined({
    contents,
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
  })
}

/** Whether the content is an answer of the model's. Calls wait for their results: where these are missing, a user's turn makes it no better. */
export function isAnswer(content: JsonValue | undefined): boolean {
  return isOfModel(content) && !hasCalls(content)
}

/** The user's content behind the last one of the model's, which stands at `field`. Adds to `warnings`. */
export function goOnBehind(field: string, warnings: TranslationWarning[]): JsonObject {
  warnings.push({ field, message: "a user's turn was put behind it, as the model demands" })
  return turnOfUser(GO_ON)
}

function isOfModel(content: JsonValue | undefined): boolean {
  return asObject(content)?.role === 'model'
}

function hasCalls(content: JsonValue | undefined): boolean {
  const parts = itemsIn(asObject(content) ?? {}, 'parts')
  return parts.some((part) => isJsonObject(part) && part[nameIn(part, 'functionCall')] !== undefined)
}

function turnOfUser(text: string): JsonObject {
  return { role: 'user', parts: [{ text }] }
}

interface Context {
  readonly names: ReadonlyMap<string, string>
  readonly requiresSignature: boolean
  readonly inner: InnerJson
  readonly warnings: TranslationWarning[]
}

function namesOfCalls(messages: readonly Message[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { role, content } of messages) {
    if (role === 'assistant') for (const part of content) if (part.type === 'tool-call') names.set(part.id, part.name)
  }
  return names
}

/**
 * The vendor pairs the calls of one content with the results of the next: the model's neighbours are one, and all results follow
 * them, before what else is said until the model speaks again. Each with its index in the request.
 */
function merged(messages: readonly Message[]): [Message, number][] {
  const list: [Message, number][] = []
  /** Of the last message, where that is the model's: a list of our own, as there may be a hundred thousand. */
  let said: AssistantPart[] | undefined
  /** Since the model spoke, and where in the list that was. */
  let results: ToolResultPart[] | undefined
  let turn = 0
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      if (said === undefined) {
        list.push([{ role: 'assistant', content: (said = []) }, index])
        results = undefined
        turn = list.length
      }
      for (const part of message.content) said.push(part)
    } else if (message.role === 'tool') {
      said = undefined
      if (results === undefined) list.splice(turn, 0, [{ role: 'tool', content: (results = []) }, index])
      for (const part of message.content) results.push(part)
    } else if (message.role === 'user') {
      said = undefined
      list.push([message, index])
    }
  }
  return list
}

function systemParts(request: CompletionRequest, warnings: TranslationWarning[]): JsonObject[] {
  warnOfCacheControl(request.system, 'system', warnings)
  const later = request.messages.flatMap((message, index) => {
    if (message.role !== 'system') return []
    const field = `messages[${index}]`
    warnings.push({ field, message: 'an instruction inside the conversation was moved to its beginning' })
    warnOfCacheControl(message.content, field, warnings)
    return message.content
  })
  return [...request.system, ...later].filter((part) => part.text !== '').map((part) => ({ text: part.text }))
}

function warnOfCacheControl(
  parts: readonly { readonly cacheControl?: unknown }[],
  path: string,
  warnings: TranslationWarning[],
): void {
  if (parts.every((part) => part.cacheControl === undefined)) return
  warnings.push({
    field: `${path}.cache_control`,
    message: 'generate-content caches on its own; the mark was left out',
  })
}

function partsOf(message: Message, path: string, context: Context): JsonObject[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      warnOfCacheControl(
        message.content.filter((part) => part.type !== 'audio'),
        path,
        context.warnings,
      )
      return userParts(message.content, path, context)
    case 'assistant':
      return assistantParts(message.content, path, context)
    case 'tool':
      return resultParts(message.content, path, context)
  }
}

function userParts(content: readonly UserPart[], path: string, { warnings }: Context): JsonObject[] {
  return content.flatMap<JsonObject>((part, index) => renderUserPart(part, `${path}.content[${index}]`, warnings) ?? [])
}

/** The part; undefined where it is empty, which the vendor refuses, or, with a warning, where it has no place here. */
export function renderUserPart(part: UserPart, path: string, warnings: TranslationWarning[]): JsonObject | undefined {
  if (part.type !== 'text') return renderMedia(part, path, warnings)
  return part.text === '' ? undefined : { text: part.text }
}

function assistantParts(content: readonly AssistantPart[], path: string, context: Context): JsonObject[] {
  const calls = content.filter((part) => part.type === 'tool-call')
  warnOfCacheControl([...content.filter((part) => part.type === 'text'), ...calls], path, context.warnings)
  if (content.some((part) => part.type === 'reasoning')) {
    const message = "another vendor's earlier thinking cannot be sent in this format; it was left out"
    context.warnings.push({ field: `${path}.thinking`, message })
  }
  return content.flatMap<JsonObject>((part) => {
    switch (part.type) {
      case 'reasoning':
        return []
      case 'tool-call':
        return renderCall(part, part === calls[0], path, context)
      default:
        return part.text === '' ? [] : { text: part.text }
    }
  })
}

/** Of calls made at once, only the first bears a signature. */
function renderCall(call: ToolCallPart, isFirst: boolean, path: string, context: Context): JsonObject {
  const { args, lost } = argumentsOf(call.arguments, context.inner)
  if (lost !== undefined) context.warnings.push({ field: `${path}.${call.name}`, message: lost })
  const substitute = isFirst && context.requiresSignature ? FOREIGN_SIGNATURE : undefined
  return withoutUndefined({
    functionCall: { id: call.id, name: call.name, args },
    thoughtSignature: call.signature ?? substitute,
  })
}

/** Media, which not every model takes inside a result, follows after the last of them. */
function resultParts(results: readonly ToolResultPart[], path: string, context: Context): JsonObject[] {
  warnOfCacheControl(results, path, context.warnings)
  const responses = results.map((result) => renderResult(result, context))
  const media = results
    .flatMap((result) => result.content)
    .flatMap<JsonObject>((part) => {
      if (part.type === 'text' || textOfResultPart(part) !== undefined) return []
      return renderMedia(part, `${path}.content`, context.warnings) ?? []
    })
  return [...responses, ...media]
}

function renderResult(result: ToolResultPart, { names }: Context): JsonObject {
  const text = result.content.flatMap((part) => textOfResultPart(part) ?? []).join('\n\n')
  return {
    functionResponse: {
      id: result.toolCallId,
      name: result.name ?? names.get(result.toolCallId) ?? result.toolCallId,
      response: { [result.isError === true ? 'error' : 'output']: text },
    },
  }
}
