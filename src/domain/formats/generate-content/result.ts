/** A whole generate-content answer <-> neutral result. */
import type { AssistantPart, TranslationWarning } from '../../completion/request.ts'
import type { Choice, CompletionResult } from '../../completion/result.ts'
import { UpstreamFormatError } from '../../errors.ts'
import { asArray, asNumber, asObject, asString, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { shortName, withoutUndefined } from '../fields.ts'
import type { RenderContext, Rendered } from '../format.ts'
import { InnerJson } from '../inner-json.ts'
import { readAnswerPart, type AnswerPart } from './answer-part.ts'
import { blockedFinish, parseFinish, renderFinish } from './finish.ts'
import { madeUpId } from '../made-up-id.ts'
import { argumentsOf } from './tool-arguments.ts'
import { parseUsage, renderUsage } from './usage.ts'

/** Reads a provider's answer. @throws {UpstreamFormatError} where it has neither candidates nor a reason for having none. */
export function parseResult(document: JsonObject): CompletionResult {
  const id = shortName(document.responseId)
  return {
    source: { format: 'generate-content', document },
    id,
    model: shortName(document.modelVersion),
    choices: parseCandidates(document, id),
    usage: parseUsage(document.usageMetadata),
  }
}

function parseCandidates(document: JsonObject, responseId: string): Choice[] {
  const candidates = asArray(document.candidates)
  if (candidates.length > 0) return candidates.map((one, position) => parseCandidate(one, position, responseId))
  const blockReason = asString(asObject(document.promptFeedback)?.blockReason)
  if (blockReason === undefined) throw new UpstreamFormatError('The provider sent an answer without candidates.')
  return [{ index: 0, content: [], finish: blockedFinish(blockReason) }]
}

function parseCandidate(value: JsonValue, position: number, responseId: string): Choice {
  const candidate = asObject(value)
  if (candidate === undefined) throw new UpstreamFormatError('The provider sent a candidate that is no object.')
  const index = asNumber(candidate.index) ?? position
  const parts = asArray(asObject(candidate.content)?.parts).filter(isJsonObject).map(readAnswerPart)
  let calls = 0
  const content = joined(parts).flatMap((part) =>
    contentOf(part, (name, args) => madeUpId(responseId, index, calls++, name, args)),
  )
  const finish = parseFinish(
    asString(candidate.finishReason),
    content.some((part) => part.type === 'tool-call'),
  )
  return { index, content, finish }
}

/** Texts in a row are one text: the parts say where the provider's chunks ended, no more. */
function joined(parts: readonly AnswerPart[]): AnswerPart[] {
  const list: AnswerPart[] = []
  for (const part of parts) {
    const last = list.at(-1)
    if (part.type === 'text' && last?.type === 'text') list[list.length - 1] = { ...part, text: last.text + part.text }
    else if (part.type === 'thought' && last?.type === 'thought' && last.signature === undefined) {
      list[list.length - 1] = { ...part, text: last.text + part.text }
    } else list.push(part)
  }
  return list
}

function contentOf(part: AnswerPart, idOf: (name: string, args: string) => string): AssistantPart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'thought':
      return [withoutUndefined({ type: 'reasoning' as const, text: part.text, signature: part.signature })]
    case 'call': {
      const { name, signature, arguments: text } = part
      const made = idOf(name, text)
      return [withoutUndefined({ type: 'tool-call' as const, id: part.id ?? made, name, arguments: text, signature })]
    }
    case 'unknown':
      return []
  }
}

/** The answer for a client. From the same format: the provider's document itself. */
export function renderResult(result: CompletionResult, context: RenderContext): Rendered<JsonObject> {
  if (result.source.format === 'generate-content') return { document: result.source.document, warnings: [] }
  const warnings: TranslationWarning[] = []
  const isOwn = context.answeredIn === 'generate-content'
  const inner = new InnerJson()
  const document = withoutUndefined({
    candidates: result.choices.map((choice) =>
      renderCandidate(isOwn ? choice : unsigned(choice, warnings), warnings, inner),
    ),
    usageMetadata: result.usage && renderUsage(result.usage),
    modelVersion: result.model || context.model,
    responseId: result.id || context.requestId,
  })
  return { document, warnings }
}

/** Warning of a call whose arguments never began: this vendor sends whole calls only. */
export const CALL_CUT_OFF = 'a call that was cut off before its arguments was left out'

/** Warning of a thought that another vendor has signed: this one would refuse the signature in the next turn. */
export const FOREIGN_SIGNATURE = "the signature of another vendor's thought was left out"

function unsigned(choice: Choice, warnings: TranslationWarning[]): Choice {
  const content = choice.content.map((part) => {
    if (!('signature' in part)) return part
    warnings.push({ field: `candidates[${choice.index}].thoughtSignature`, message: FOREIGN_SIGNATURE })
    const { signature: _, ...rest } = part
    return rest
  })
  return { ...choice, content }
}

function renderCandidate(
  { index, content, finish }: Choice,
  warnings: TranslationWarning[],
  inner: InnerJson,
): JsonObject {
  const parts = content.flatMap((part) => renderPart(part, `candidates[${index}]`, warnings, inner))
  return {
    index,
    // The SDKs take a candidate without parts for an invalid one and drop it from the history of a chat.
    content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] },
    finishReason: renderFinish(finish),
  }
}

function renderPart(part: AssistantPart, path: string, warnings: TranslationWarning[], inner: InnerJson): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [{ text: part.text }]
    case 'reasoning':
      if (part.redacted !== undefined) {
        warnings.push({ field: `${path}.thinking`, message: 'encrypted thinking has no place here' })
        return []
      }
      return [withoutUndefined({ text: part.text, thought: true, thoughtSignature: part.signature })]
    case 'tool-call': {
      if (part.arguments === '') {
        warnings.push({ field: `${path}.${part.name}`, message: CALL_CUT_OFF })
        return []
      }
      const { args, lost } = argumentsOf(part.arguments, inner)
      if (lost !== undefined) warnings.push({ field: `${path}.${part.name}`, message: lost })
      return [
        withoutUndefined({ functionCall: { id: part.id, name: part.name, args }, thoughtSignature: part.signature }),
      ]
    }
  }
}
