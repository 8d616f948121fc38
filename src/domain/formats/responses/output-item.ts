/** The items of an answer: thoughts, messages and calls. The same whole as at the end of a stream. */
import { isJson } from '../../json-parse.ts'
import type { JsonObject } from '../../json.ts'
import type { RenderContext } from '../format.ts'
import type { ClientTools } from './client-tool.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** Of the item at `index`: unique in all answers, as clients keep items by their ids. */
export function itemId(prefix: 'msg' | 'rs' | 'fc' | 'ctc', index: number, { requestId }: RenderContext): string {
  return `${prefix}_${requestId}_${index}`
}

export function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

export function refusalPart(refusal: string): JsonObject {
  return { type: 'refusal', refusal }
}

export function messageItem(id: string, status: ItemStatus, content: readonly JsonObject[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content: [...content] }
}

/** What a provider shows of its thoughts is what this format calls their summary. @param text undefined: none has come yet */
export function reasoningItem(id: string, text: string | undefined): JsonObject {
  return { id, type: 'reasoning', summary: text === undefined ? [] : [summaryPart(text)] }
}

export function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text }
}

/** Id and tool of a call. */
export interface Called {
  readonly call_id: string
  readonly name: string
  readonly namespace?: string
}

/** @param name that the provider has called */
export function called(callId: string, name: string, tools: ClientTools): Called {
  return { call_id: callId, ...(tools.get(name)?.member ?? { name }) }
}

/** Of a call that has ended: what is no JSON was cut off, as by the limit of tokens. */
export function endOfCall(args: string): ItemStatus {
  return isJson(args) ? 'completed' : 'incomplete'
}

/** Of a custom call, whose text the model may have written in place of the object: of such a one it cannot be told. */
export function endOfCustomCall(args: string): ItemStatus {
  return args === '' || args.trimStart().startsWith('{') ? endOfCall(args) : 'completed'
}

export function callItem(id: string, status: ItemStatus, call: Called, args: string): JsonObject {
  return { id, type: 'function_call', status, ...call, arguments: args }
}

export function customCallItem(id: string, status: ItemStatus, call: Called, input: string): JsonObject {
  return { id, type: 'custom_tool_call', status, ...call, input }
}
