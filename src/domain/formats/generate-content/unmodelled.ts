/** What a generate-content request says that the neutral request cannot. */
import type { TranslationWarning } from '../../completion/request.ts'
import { asObject, asString, type JsonObject } from '../../json.ts'
import { MAX_UNMODELLED_FIELDS } from '../format.ts'
import { isKnownMedia } from './part-parse.ts'
import { camelOf, itemsIn, nameIn, valueIn } from './spelling.ts'

const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
])

const CONFIG_FIELDS: ReadonlySet<string> = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'candidateCount',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
])

const PART_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
])
const DECLARATION_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])
const MEDIA_TYPES: ReadonlySet<unknown> = new Set([undefined, null, 'text/plain', 'application/json'])
const MODES: ReadonlySet<unknown> = new Set([undefined, null, 'MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE'])

/** The fields that another format cannot be given, in the client's spelling, at most `MAX_UNMODELLED_FIELDS`. */
export function unmodelledFields(document: JsonObject): TranslationWarning[] {
  const fields: string[] = []
  for (const field of allFields(document)) {
    if (fields.push(field) === MAX_UNMODELLED_FIELDS) break
  }
  return fields.map((field) => ({ field, message: 'known to generate-content only; it was left out' }))
}

function* allFields(document: JsonObject): Generator<string> {
  yield* unknownFields(document, REQUEST_FIELDS, '')
  yield* contentFields(document)
  yield* toolFields(document)
  yield* choiceFields(document)
  yield* configFields(document)
}

/** Null and false say «not wanted», which is also what leaving the field out says. */
function* unknownFields(object: JsonObject, known: ReadonlySet<string>, prefix: string): Generator<string> {
  for (const name in object) {
    const value = object[name]
    if (!known.has(camelOf(name)) && value !== null && value !== false && value !== undefined) yield prefix + name
  }
}

function* contentFields(document: JsonObject): Generator<string> {
  for (const [index, content] of itemsIn(document, 'contents').entries()) {
    for (const [position, part] of itemsIn(asObject(content) ?? {}, 'parts').entries()) {
      yield* partFields(asObject(part) ?? {}, `contents[${index}].parts[${position}]`)
    }
  }
}

function* partFields(part: JsonObject, path: string): Generator<string> {
  yield* unknownFields(part, PART_FIELDS, `${path}.`)
  for (const field of ['inlineData', 'fileData']) {
    const name = nameIn(part, field)
    if (part[name] !== undefined && !isKnownMedia(part)) yield `${path}.${name}`
  }
  const signature = nameIn(part, 'thoughtSignature')
  // Of a thought or a call it goes along.
  if (part[signature] !== undefined && part.thought !== true && asString(part.text) !== undefined) {
    yield `${path}.${signature}`
  }
}

function* toolFields(document: JsonObject): Generator<string> {
  for (const [index, item] of itemsIn(document, 'tools').entries()) {
    const tool = asObject(item) ?? {}
    const path = `tools[${index}]`
    yield* unknownFields(tool, new Set(['functionDeclarations']), `${path}.`)
    const name = nameIn(tool, 'functionDeclarations')
    for (const [position, declaration] of itemsIn(tool, 'functionDeclarations').entries()) {
      yield* unknownFields(asObject(declaration) ?? {}, DECLARATION_FIELDS, `${path}.${name}[${position}].`)
    }
  }
}

function* choiceFields(document: JsonObject): Generator<string> {
  const configName = nameIn(document, 'toolConfig')
  const config = asObject(document[configName]) ?? {}
  yield* unknownFields(config, new Set(['functionCallingConfig']), `${configName}.`)
  const name = nameIn(config, 'functionCallingConfig')
  const calling = asObject(config[name]) ?? {}
  if (!MODES.has(asString(calling.mode)?.toUpperCase())) yield `${configName}.${name}.mode`
  // They mean something together with this mode only.
  const isRead = asString(calling.mode)?.toUpperCase() === 'ANY'
  if (!isRead && itemsIn(calling, 'allowedFunctionNames').length > 0) {
    yield `${configName}.${name}.${nameIn(calling, 'allowedFunctionNames')}`
  }
}

function* configFields(document: JsonObject): Generator<string> {
  const name = nameIn(document, 'generationConfig')
  const config = asObject(document[name]) ?? {}
  yield* unknownFields(config, CONFIG_FIELDS, `${name}.`)
  if (!MEDIA_TYPES.has(valueIn(config, 'responseMimeType'))) yield `${name}.${nameIn(config, 'responseMimeType')}`
}
