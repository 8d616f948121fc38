/**
 * Ids of tool calls on their way to another vendor, distinct over the whole conversation. Vendors refuse an id that stands
 * twice, or take the results for those of another call, while some servers number the calls of every answer anew
 * (`call_0`), or give one id to calls of one step.
 *
 * 1. Calls keep their id, the second of an id gets a number behind it, and so on in the document's order: what a call is
 *    named depends on what stands before it only, so it is the same in every later turn.
 * 2. A result belongs to the nearest step before it that holds a call of its id; of several there, to the oldest that is
 *    unanswered.
 */
import type { AssistantPart, CompletionRequest, Message, ToolResultPart } from '../completion/request.ts'

/**
 * The request with distinct ids; itself where nothing has to change. `idOf` gives an id as the provider takes it, equal ones
 * equally.
 */
export function withDistinctCallIds(request: CompletionRequest, idOf: (id: string) => string): CompletionRequest {
  const ids = new ConversationIds(idOf)
  const messages = request.messages.map((message) => renamed(message, ids))
  return messages.every((message, index) => message === request.messages[index]) ? request : { ...request, messages }
}

function renamed(message: Message, ids: ConversationIds): Message {
  if (message.role === 'assistant') {
    ids.step(true)
    const content = message.content.map((part) => renamedCall(part, ids))
    return isSame(content, message.content) ? message : { role: 'assistant', content }
  }
  ids.step(false)
  if (message.role !== 'tool') return message
  const content = message.content.map((part) => renamedResult(part, ids))
  return isSame(content, message.content) ? message : { role: 'tool', content }
}

function renamedCall(part: AssistantPart, ids: ConversationIds): AssistantPart {
  if (part.type !== 'tool-call') return part
  const id = ids.ofCall(part.id)
  return id === part.id ? part : { ...part, id }
}

function renamedResult(part: ToolResultPart, ids: ConversationIds): ToolResultPart {
  const toolCallId = ids.ofResult(part.toolCallId)
  return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.every((one, index) => one === others[index])
}

/** Calls of one id in one step. */
interface StepCalls {
  readonly step: number
  readonly ids: string[]
  answered: number
}

/** Fed in the document's order. Every step is constant time, whatever the client sends. */
class ConversationIds {
  readonly #idOf: (id: string) => string
  readonly #used = new Set<string>()
  readonly #calls = new Map<string, StepCalls>()
  /** How many calls of an id there have been. */
  readonly #counts = new Map<string, number>()
  #steps = 0
  #isInStep = false

  constructor(idOf: (id: string) => string) {
    this.#idOf = idOf
  }

  /** The next message is the model's, or not: several of it in a row are one step. */
  step(isModel: boolean): void {
    if (isModel && !this.#isInStep) this.#steps += 1
    this.#isInStep = isModel
  }

  ofCall(id: string): string {
    const own = this.#distinct(id)
    const known = this.#calls.get(id)
    if (known?.step === this.#steps) known.ids.push(own)
    else this.#calls.set(id, { step: this.#steps, ids: [own], answered: 0 })
    return own
  }

  ofResult(id: string): string {
    const calls = this.#calls.get(id)
    const own = calls?.ids[calls.answered]
    if (calls === undefined || own === undefined) return this.#idOf(id)
    // A further result of the last call is as wrong as it was.
    if (calls.answered + 1 < calls.ids.length) calls.answered += 1
    return own
  }

  #distinct(id: string): string {
    let own = this.#idOf(id)
    let count = this.#counts.get(id) ?? 1
    while (this.#used.has(own)) {
      count += 1
      own = this.#idOf(`${id}_${count}`)
    }
    this.#counts.set(id, count)
    this.#used.add(own)
    return own
  }
}
