/**
 * Neutral messages -> messages of this format, which has only two roles and rules about their order:
 *
 * - turns alternate: neighbours of one role become one turn;
 * - the results of tools are blocks of the user's turn after the call, before everything else in it;
 * - the first turn is the user's, and with the newer models the last one, too;
 * - no text is white space alone, and the last assistant's text does not end in white space.
 *
 * Instructions in the middle of the conversation have no role that every model takes: they keep their place as a text
 * of the user's turn inside `<system>` tags.
 */
import type { CompletionRequest, Message, TextPart, TranslationWarning } from '../../completion/request.ts'
import type { JsonObject } from '../../json.ts'
import { InnerJson } from '../inner-json.ts'
import { BEGINNING, endsInSilence, GO_ON, SILENT_TURN, warnOfSilence } from '../silent-turn.ts'
import { renderAssistantPart, renderToolResult, renderUserPart, textBlock } from './block-translate.ts'
import type { ModelTraits } from './model-traits.ts'

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

export interface Conversation {
  readonly system: TextPart[]
  readonly messages: JsonObject[]
}

/** The conversation. Adds to `warnings` what is lost. */
export function translateMessages(
  request: CompletionRequest,
  traits: ModelTraits,
  warnings: TranslationWarning[],
): Conversation {
  const turns: Turn[] = []
  const inner = new InnerJson()
  request.messages.forEach((message, index) => {
    const path = `messages[${index}]`
    add(turns, message.role === 'assistant' ? 'assistant' : 'user', renderContent(message, path, warnings, inner))
  })
  const system = request.system.filter((part) => hasText(part.text))
  if (turns.length === 0 && system.length > 0) {
    warnings.push({ field: 'messages', message: 'instructions alone are no conversation: they were sent as the user' })
    return { system: [], messages: [{ role: 'user', content: system.map(({ text }) => ({ type: 'text', text })) }] }
  }
  if (turns.at(-1)?.role !== 'user' && endsInSilence(request.messages)) {
    warnOfSilence(request.messages, warnings)
    turns.push({ role: 'user', content: [{ type: 'text', text: SILENT_TURN }] })
  }
  if (turns[0]?.role === 'assistant') {
    warnings.push({
      field: 'messages[0]',
      message: "a user's turn was put before the assistant's, as messages demands",
    })
    turns.unshift({ role: 'user', content: [{ type: 'text', text: BEGINNING }] })
  }
  if (!traits.lastWord && isAnswer(turns.at(-1))) {
    turns.push(goOnBehind(request.messages.length - 1, warnings))
  }
  trimLastAnswer(turns.at(-1))
  return { system, messages: turns.map(renderTurn) }
}

/** The user's message behind the last one of the model's. Adds to `warnings`. @param index of that one */
export function goOnBehind(index: number, warnings: TranslationWarning[]): Turn {
  warnings.push({ field: `messages[${index}]`, message: "a user's turn was put behind it, as the model demands" })
  return { role: 'user', content: [{ type: 'text', text: GO_ON }] }
}

function add(turns: Turn[], role: Turn['role'], content: JsonObject[]): void {
  const last = turns.at(-1)
  const turn: Turn = last?.role === role ? last : { role, content: [] }
  for (const block of content) append(turn.content, block)
  if (turn !== last && turn.content.length > 0) turns.push(turn)
}

/** White space alone, as a streamed piece of a longer text may be, is no block: it belongs to the text before it. */
function append(content: JsonObject[], block: JsonObject): void {
  const before = content.at(-1)
  if (typeof block.text !== 'string' || hasText(block.text)) content.push(block)
  else if (typeof before?.text === 'string') before.text += block.text
}

function renderContent(message: Message, path: string, warnings: TranslationWarning[], inner: InnerJson): JsonObject[] {
  switch (message.role) {
    case 'system':
      warnings.push({ field: path, message: "instructions inside the conversation were sent in the user's turn" })
      return message.content
        .filter((part) => hasText(part.text))
        .flatMap<JsonObject>(
          (part) => renderUserPart({ ...part, text: `<system>\n${part.text}\n</system>` }, path, warnings) ?? [],
        )
    case 'user':
      return message.content.flatMap<JsonObject>((part, index) =>
        part.type === 'text' ? textBlock(part) : (renderUserPart(part, `${path}.content[${index}]`, warnings) ?? []),
      )
    case 'assistant':
      return message.content.flatMap<JsonObject>(
        (part, index) => renderAssistantPart(part, `${path}.content[${index}]`, warnings, inner) ?? [],
      )
    case 'tool':
      return message.content.map((part, index) => renderToolResult(part, `${path}.content[${index}]`, warnings))
  }
}

function hasText(text: string): boolean {
  return /\S/.test(text)
}

/** The results of tools first: the vendor looks for them right after the calls. */
export function renderTurn({ role, content }: Turn): JsonObject {
  const ordered = [...content.filter(isResult), ...content.filter((block) => !isResult(block))]
  const [only] = ordered
  const isPlain = ordered.length === 1 && only?.type === 'text' && only.cache_control === undefined
  return { role, content: isPlain ? only.text : ordered }
}

function isResult(block: JsonObject): boolean {
  return block.type === 'tool_result'
}

/** Calls wait for their results: where these are missing, a user's turn makes it no better. */
function isAnswer(last: Turn | undefined): boolean {
  return last?.role === 'assistant' && !last.content.some(({ type }) => type === 'tool_use')
}

function trimLastAnswer(last: Turn | undefined): void {
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined
  if (typeof block?.text === 'string') block.text = block.text.trimEnd()
}
