/** A whole messages answer <-> neutral result. */
import { NO_ARGUMENTS, type AssistantPart, type TranslationWarning } from '../../completion/request.ts'
import { isCut, type Choice, type CompletionResult } from '../../completion/result.ts'
import { UpstreamFormatError } from '../../errors.ts'
import { asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { shortName, withoutUndefined } from '../fields.ts'
import { NO_USAGE, type RenderContext, type Rendered } from '../format.ts'
import { InnerJson } from '../inner-json.ts'
import { inputOf } from './block-translate.ts'
import { parseStopReason, renderStopReason } from './stop-reason.ts'
import { parseUsage, renderUsage } from './usage.ts'

/** Reads a provider's answer. @throws {UpstreamFormatError} where it has no content. */
export function parseResult(document: JsonObject): CompletionResult {
  if (!Array.isArray(document.content)) throw new UpstreamFormatError('The provider sent an answer without content.')
  const id = shortName(document.id)
  const content = document.content.flatMap((block, index) => parseBlock(block, `${id}_${index}`))
  const hasToolCalls = content.some((part) => part.type === 'tool-call')
  const stopSequence = asString(document.stop_sequence)
  const finish = parseStopReason(asString(document.stop_reason), stopSequence, hasToolCalls)
  return {
    source: { format: 'messages', document },
    id,
    model: shortName(document.model),
    choices: [{ index: 0, content: isCut(finish) ? unbegun(content) : content, finish }],
    usage: parseUsage(document.usage),
  }
}

/** Blocks of the vendor's own tools have no neutral word: they stay in the document. */
function parseBlock(block: JsonValue, serial: string): AssistantPart[] {
  if (!isJsonObject(block)) return []
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'text', text: asString(block.text) ?? '' }]
    case 'thinking': {
      const signature = asString(block.signature)
      return [{ type: 'reasoning', text: asString(block.thinking) ?? '', ...(signature ? { signature } : {}) }]
    }
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', redacted: asString(block.data) ?? '' }]
    case 'tool_use': {
      const id = asString(block.id) || `toolu_${serial}`
      return [{ type: 'tool-call', id, name: asString(block.name) ?? '', arguments: argumentsOf(block.input) }]
    }
    default:
      return []
  }
}

/** A call with which the answer was cut off before its input has an empty object here. */
function unbegun(content: readonly AssistantPart[]): readonly AssistantPart[] {
  const last = content.at(-1)
  if (last?.type !== 'tool-call' || last.arguments !== NO_ARGUMENTS) return content
  return [...content.slice(0, -1), { ...last, arguments: '' }]
}

/** The input of a call as JSON text; some servers already send text. */
export function argumentsOf(input: JsonValue | undefined): string {
  if (typeof input === 'string') return input || NO_ARGUMENTS
  return JSON.stringify(input ?? {})
}

/** The answer for a client. From the same format: the provider's document itself. */
export function renderResult(result: CompletionResult, context: RenderContext): Rendered<JsonObject> {
  if (result.source.format === 'messages' && Array.isArray(result.source.document.content)) {
    return { document: result.source.document, warnings: [] }
  }
  const warnings: TranslationWarning[] = []
  const choice = onlyChoice(result, warnings)
  const content = choice?.content ?? []
  const inner = new InnerJson()
  const isOwn = (context.answeredIn ?? result.source.format) === 'messages'
  const signed = (part: AssistantPart) => (isOwn ? part : withoutSignature(part, warnings))
  const held = {
    toolCalls: content.some((part) => part.type === 'tool-call'),
    refusal: content.some((part) => part.type === 'refusal'),
  }
  const document: JsonObject = {
    id: result.id || `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: result.model || context.model,
    content: content.flatMap((part, index) => renderBlock(signed(part), `content[${index}]`, warnings, inner)),
    stop_reason: renderStopReason(choice?.finish ?? { reason: 'other', raw: undefined }, held),
    stop_sequence: choice?.finish.stopSequence ?? null,
    usage: renderUsage(result.usage ?? NO_USAGE),
  }
  return { document, warnings }
}

function onlyChoice(result: CompletionResult, warnings: TranslationWarning[]): Choice | undefined {
  if (result.choices.length > 1)
    warnings.push({ field: 'choices', message: 'messages holds one; the others were left out' })
  return result.choices.find((choice) => choice.index === 0) ?? result.choices[0]
}

function withoutSignature(part: AssistantPart, warnings: TranslationWarning[]): AssistantPart {
  if (part.type !== 'reasoning' || part.signature === undefined) return part
  warnings.push({ field: 'content.signature', message: FOREIGN_SIGNATURE })
  return { type: 'reasoning', text: part.text }
}

function renderBlock(
  part: AssistantPart,
  path: string,
  warnings: TranslationWarning[],
  inner: InnerJson,
): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'reasoning':
      if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }]
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }]
    case 'tool-call':
      if (part.signature !== undefined) warnings.push({ field: `${path}.signature`, message: SIGNATURE_LOST })
      return [
        withoutUndefined({
          type: 'tool_use',
          id: part.id,
          name: part.name,
          input: inputOf(part, path, warnings, inner),
        }),
      ]
  }
}

/** Warning of a thought that another vendor has signed. Without its signature the next turn can tell it from the own. */
export const FOREIGN_SIGNATURE = "the signature of another vendor's thought was left out"

/** Warning of a call's signature (Gemini), which a block of this format has no field for. */
export const SIGNATURE_LOST = "messages cannot carry a call's signature"
