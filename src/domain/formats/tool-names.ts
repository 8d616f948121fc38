/**
 * Names of tools on their way to another vendor, which has rules of its own for them, and back in its answers. Names that
 * the vendor takes stay; of the others each gets one that it takes and that no other tool of the request has, the same in
 * every later turn where the tools are the same.
 */
import type { AssistantPart, CompletionRequest, Message, ToolChoice, ToolResultPart } from '../completion/request.ts'
import type { CompletionResult } from '../completion/result.ts'
import type { StreamPart } from '../completion/stream-part.ts'

/** What a vendor takes as a tool's name, as its documents and refusals say. */
export interface ToolNameRules {
  /** One character of a name. */
  readonly character: RegExp
  /** The first one. */
  readonly first: RegExp
  /** Characters, all of ASCII. */
  readonly longest: number
}

/**
 * No vendor takes more (Anthropic's tool search 10,000, others some hundred). The names of more go as they are, for the vendor
 * to refuse: kept while a stream lasts, those of the largest request would be some ten times its body.
 */
export const MOST_TOOLS = 10_000

/** `_` and as many tools as a request can have. */
const LONGEST_NUMBER = 8

/** For one request, to one format. */
export class ToolNames {
  readonly #sent = new Map<string, string>()
  readonly #original = new Map<string, string>()
  /** By the beginning of a name, the last number behind it: a search from one on would be quadratic. */
  readonly #counts = new Map<string, number>()

  /** Undefined where all names can stay, as nearly always, and where there are more than `MOST_TOOLS`. */
  static of(request: CompletionRequest, rules: ToolNameRules): ToolNames | undefined {
    if (request.tools.length > MOST_TOOLS) return undefined
    const names = new ToolNames()
    // What was called earlier says nothing of what can be called now: later turns change no name.
    const offered = offeredNames(request)
    for (const name of offered) if (!fits(name, rules)) names.#rename(name, offered, rules)
    const all = new Set([...offered, ...calledNames(request)])
    for (const name of all)
      if (!offered.has(name) && (!fits(name, rules) || names.#original.has(name))) names.#rename(name, all, rules)
    return names.#sent.size === 0 ? undefined : names
  }

  /** As the provider is told. */
  sent(name: string): string {
    return this.#sent.get(name) ?? name
  }

  /** As the client knows it. */
  original(name: string): string {
    return this.#original.get(name) ?? name
  }

  #rename(name: string, taken: ReadonlySet<string>, rules: ToolNameRules): void {
    const sent = this.#freeName(name, taken, rules)
    this.#sent.set(name, sent)
    this.#original.set(sent, name)
  }

  #freeName(name: string, taken: ReadonlySet<string>, rules: ToolNameRules): string {
    const fitted = fittedName(name, rules).slice(0, rules.longest)
    const stem = fitted.slice(0, rules.longest - LONGEST_NUMBER)
    let own = fitted
    let count = this.#counts.get(stem) ?? 1
    while (taken.has(own) || this.#original.has(own)) own = `${stem}_${++count}`
    this.#counts.set(stem, count)
    return own
  }
}

/** The request with the names that the provider is told. */
export function withSentNames(request: CompletionRequest, names: ToolNames): CompletionRequest {
  return {
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, name: names.sent(tool.name) })),
    toolChoice: request.toolChoice && sentChoice(request.toolChoice, names),
    messages: request.messages.map((message) => sentMessage(message, names)),
  }
}

/** The answer with the names that the client knows. */
export function withOriginalNames(result: CompletionResult, names: ToolNames): CompletionResult {
  const choices = result.choices.map((choice) => ({
    ...choice,
    content: choice.content.map((part) => renamed(part, (name) => names.original(name))),
  }))
  return { ...result, choices }
}

/** The same of a stream's part. */
export function withOriginalName(part: StreamPart, names: ToolNames): StreamPart {
  return part.type === 'tool-input-start' ? { ...part, toolName: names.original(part.toolName) } : part
}

function sentChoice(choice: ToolChoice, names: ToolNames): ToolChoice {
  if (choice.type === 'tool') return { ...choice, name: names.sent(choice.name) }
  if (choice.type === 'none' || choice.among === undefined) return choice
  return { ...choice, among: choice.among.map((name) => names.sent(name)) }
}

function sentMessage(message: Message, names: ToolNames): Message {
  const sent = (name: string) => names.sent(name)
  if (message.role === 'assistant')
    return { role: 'assistant', content: message.content.map((part) => renamed(part, sent)) }
  if (message.role !== 'tool') return message
  return { role: 'tool', content: message.content.map((part) => renamedResult(part, sent)) }
}

function renamed(part: AssistantPart, nameOf: (name: string) => string): AssistantPart {
  return part.type === 'tool-call' ? { ...part, name: nameOf(part.name) } : part
}

function renamedResult(part: ToolResultPart, nameOf: (name: string) => string): ToolResultPart {
  return part.name === undefined ? part : { ...part, name: nameOf(part.name) }
}

function offeredNames({ tools, toolChoice }: CompletionRequest): ReadonlySet<string> {
  const names = new Set(tools.map(({ name }) => name))
  if (toolChoice?.type === 'tool') names.add(toolChoice.name)
  return names
}

function* calledNames({ messages }: CompletionRequest): Iterable<string> {
  for (const { role, content } of messages) {
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-call') yield part.name
      else if (part.type === 'tool-result' && part.name !== undefined) yield part.name
    }
  }
}

/** A missing name is the vendor's to refuse. */
function fits(name: string, { character, first, longest }: ToolNameRules): boolean {
  return name === '' || (name.length <= longest && first.test(name.charAt(0)) && everyCharacter(name, character))
}

function everyCharacter(name: string, character: RegExp): boolean {
  for (const one of name) if (!character.test(one)) return false
  return true
}

function fittedName(name: string, { character, first, longest }: ToolNameRules): string {
  const fitted = Array.from(name.slice(0, longest), (one) => (character.test(one) ? one : '_')).join('')
  return first.test(fitted.charAt(0)) ? fitted : `_${fitted}`
}
