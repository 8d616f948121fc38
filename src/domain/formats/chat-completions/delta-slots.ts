/** Where the texts of a streamed delta stand. */
import { asArray, asObject, isJsonObject, type JsonObject } from '../../json.ts'
import { REASONING_FIELDS } from './answer-content.ts'
import type { ToolCallKeys } from './tool-call-keys.ts'

/** One piece of text: `holder[field]`, and the channel whose next piece it is. */
export interface Slot {
  readonly holder: JsonObject
  readonly field: string
  readonly text: string
  readonly channel: string
  readonly kind: 'text' | 'json'
  /** A delta that carries a further piece on the same channel. */
  readonly deltaOf: (text: string) => JsonObject
}

const TEXT_FIELDS = [...REASONING_FIELDS, 'content', 'refusal'] as const

/** Calls `use` for every text of `delta`, empty ones excepted. */
export function eachSlot(delta: JsonObject, choice: number, keys: ToolCallKeys, use: (slot: Slot) => void): void {
  const slot = (
    holder: JsonObject,
    field: string,
    name: string,
    kind: Slot['kind'],
    deltaOf: Slot['deltaOf'],
  ): void => {
    const text = holder[field]
    if (typeof text === 'string' && text !== '')
      use({ holder, field, text, channel: `${choice}:${name}`, kind, deltaOf })
  }
  for (const field of TEXT_FIELDS) slot(delta, field, field, 'text', (text) => ({ [field]: text }))
  const audio = asObject(delta.audio)
  if (audio !== undefined) slot(audio, 'transcript', 'audio', 'text', (transcript) => ({ audio: { transcript } }))
  for (const part of asArray(delta.content)) if (isJsonObject(part)) contentPart(part, slot)
  for (const detail of asArray(delta.reasoning_details)) if (isJsonObject(detail)) reasoningDetail(detail, slot)
  for (const piece of asArray(delta.tool_calls)) if (isJsonObject(piece)) toolPiece(piece, keys, slot)
  const legacy = asObject(delta.function_call)
  if (legacy !== undefined) {
    slot(legacy, 'arguments', 'function_call', 'json', (text) => ({ function_call: { arguments: text } }))
  }
}

type UseSlot = (holder: JsonObject, field: string, name: string, kind: Slot['kind'], deltaOf: Slot['deltaOf']) => void

/** Mistral's parts: text, and thinking that holds texts. */
function contentPart(part: JsonObject, slot: UseSlot): void {
  slot(part, 'text', 'content', 'text', (text) => ({ content: [{ type: 'text', text }] }))
  for (const thought of asArray(part.thinking)) {
    if (!isJsonObject(thought)) continue
    slot(thought, 'text', 'thinking', 'text', (text) => ({
      content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }],
    }))
  }
}

/** OpenRouter's third copy of the reasoning. */
function reasoningDetail(detail: JsonObject, slot: UseSlot): void {
  const { type = null, index = 0 } = detail
  for (const field of ['text', 'summary']) {
    slot(detail, field, `detail:${String(index)}:${field}`, 'text', (text) => ({
      reasoning_details: [{ type, index, [field]: text }],
    }))
  }
}

function toolPiece(piece: JsonObject, keys: ToolCallKeys, slot: UseSlot): void {
  const position = keys.positionOf(piece)
  const call = (fields: JsonObject): JsonObject => ({ tool_calls: [{ ...keys.addressOf(position), ...fields }] })
  slot(asObject(piece.function) ?? {}, 'arguments', `tool:${position}`, 'json', (text) =>
    call({ function: { arguments: text } }),
  )
  slot(asObject(piece.custom) ?? {}, 'input', `tool:${position}`, 'text', (text) => call({ custom: { input: text } }))
}
