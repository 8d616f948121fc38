/**
 * The blocks of one choice, put in order. This format has no blocks: text, reasoning and the arguments of several tool
 * calls may arrive interleaved, and a tool call has no end mark. The neutral stream wants one block after the other.
 *
 * 1. The first block is live: its deltas go out as they come.
 * 2. Deltas of other blocks wait in a queue.
 * 3. The live block closes, and the next in the queue becomes live, as soon as something waits and nothing more can
 *    come: for text and reasoning at once (later text opens a new block), for a tool call when its JSON is closed.
 * 4. `finish` closes them all.
 *
 * Price: where a call never closes its JSON (a call without arguments, say) or has no name, those after it wait for the finish.
 */
import { asString, type JsonObject } from '../../json.ts'
import { NO_ARGUMENTS } from '../../completion/request.ts'
import type { StreamPart } from '../../completion/stream-part.ts'
import { AnswerIds, madeUpId } from '../made-up-id.ts'
import { JsonBalance } from './json-balance.ts'
import { NULL_ARGUMENTS, NULL_BEGUN } from './tool-arguments.ts'
import { ToolCallKeys } from './tool-call-keys.ts'

interface TextBlock {
  readonly type: 'text' | 'reasoning'
  readonly id: string
  waiting: string
  open: boolean
}

interface ToolBlock {
  readonly type: 'tool'
  readonly id: string
  readonly position: number
  toolCallId: string
  name: string
  readonly balance: JsonBalance
  waiting: string
  open: boolean
  hasArguments: boolean
}

type Block = TextBlock | ToolBlock

const DELTA_OF = { text: 'text-delta', reasoning: 'reasoning-delta', tool: 'tool-input-delta' } as const

/** Orders the deltas of one choice. `push…` and `finish` append what can go out to `parts`. */
export class ChoiceBlocks {
  readonly #choice: number
  readonly #seed: string
  readonly #keys = new ToolCallKeys()
  readonly #ids = new AnswerIds()
  readonly #closedTools = new Set<number>()
  /** Of the queue's blocks, by position. */
  readonly #openTools = new Map<number, ToolBlock>()
  /** From `#first` on; what is before has been closed. */
  #queue: Block[] = []
  #first = 0
  #blocks = 0
  #tools = 0

  /** `seed` is for ids that are made up. @see madeUpId */
  constructor(choice: number, seed: string) {
    this.#choice = choice
    this.#seed = seed
  }

  /** Whether the choice has called a tool. */
  get hasToolCalls(): boolean {
    return this.#tools > 0
  }

  /** Blocks that wait for their turn, or a call that is not opened yet. */
  get holdsBack(): boolean {
    const live = this.#queue[this.#first]
    return this.#hasFurther || (live !== undefined && (!live.open || live.waiting !== ''))
  }

  pushText(type: 'text' | 'reasoning', delta: string, parts: StreamPart[]): void {
    if (delta === '') return
    const last = this.#queue.at(-1)
    const block = last?.type === type ? last : this.#add({ type, id: this.#nextId(), waiting: '', open: false })
    block.waiting += delta
    this.#advance(parts)
  }

  /** `pushText('text')` where nothing but the text's own delta goes out; undefined where that is not so: nothing is done. */
  textDelta(delta: string): StreamPart | undefined {
    const live = this.#queue[this.#first]
    if (live?.type !== 'text' || !live.open || this.#hasFurther || delta === '') return undefined
    return { type: 'text-delta', choice: this.#choice, id: live.id, delta }
  }

  /** A piece of a tool call: `{index, id, function: {name, arguments}}`, any of it missing. */
  pushTool(piece: JsonObject, called: JsonObject, parts: StreamPart[]): void {
    const position = this.#keys.positionOf(piece)
    if (this.#closedTools.has(position)) return // its JSON is whole: what follows is white space or a repetition
    const block = this.#openTools.get(position) ?? this.#addTool(position)
    block.toolCallId ||= asString(piece.id) ?? ''
    if (!block.open && (block.waiting === '' || isNameless(block)))
      block.name = joinName(block.name, asString(called.name) ?? '')
    const delta =
      typeof called.arguments === 'object' && called.arguments !== null
        ? JSON.stringify(called.arguments)
        : (asString(called.arguments) ?? '')
    block.balance.push(delta)
    block.waiting += delta
    this.#advance(parts)
  }

  /** Nothing more comes: closes what is open, then opens and closes what waits. @param isCut the last of them may not be whole */
  finish(isCut: boolean, parts: StreamPart[]): void {
    for (let live = this.#queue[this.#first]; live !== undefined; live = this.#queue[this.#first]) {
      this.#emit(live, parts)
      if (live.type === 'tool' && !live.hasArguments && (this.#hasFurther || !isCut)) {
        live.waiting = NO_ARGUMENTS
        this.#emit(live, parts)
      }
      this.#close(live, parts)
    }
  }

  /** Whether blocks wait behind the live one. */
  get #hasFurther(): boolean {
    return this.#queue.length > this.#first + 1
  }

  #addTool(position: number): ToolBlock {
    this.#tools += 1
    const id = this.#nextId()
    const balance = new JsonBalance()
    const fresh = { toolCallId: '', name: '', waiting: '', open: false, hasArguments: false }
    const block: ToolBlock = { type: 'tool', id, position, balance, ...fresh }
    this.#openTools.set(position, block)
    return this.#add(block)
  }

  #add<Added extends Block>(block: Added): Added {
    this.#queue.push(block)
    return block
  }

  #nextId(): string {
    this.#blocks += 1
    return `${this.#choice}-${this.#blocks - 1}`
  }

  #advance(parts: StreamPart[]): void {
    for (let live = this.#queue[this.#first]; live !== undefined; live = this.#queue[this.#first]) {
      // A tool call is opened by its first argument, until which its name may still grow, or by a name that comes after it.
      if (isNameless(live)) return
      if (live.waiting !== '' && !mayBeNull(live)) this.#emit(live, parts)
      const mayClose = live.type === 'tool' ? live.balance.closed : true
      if (!this.#hasFurther || !mayClose) return
      this.#close(live, parts)
    }
  }

  #emit(block: Block, parts: StreamPart[]): void {
    const { id } = block
    if (mayBeNull(block) && NULL_ARGUMENTS.test(block.waiting)) block.waiting = ''
    if (!block.open) parts.push(this.#start(block))
    block.open = true
    if (block.waiting === '') return
    if (block.type === 'tool') block.hasArguments = true
    parts.push({ type: DELTA_OF[block.type], choice: this.#choice, id, delta: block.waiting })
    block.waiting = ''
  }

  #start(block: Block): StreamPart {
    const { id } = block
    const choice = this.#choice
    if (block.type !== 'tool') return { type: `${block.type}-start`, choice, id }
    const { position, name, waiting } = block
    const toolCallId = this.#ids.distinct(block.toolCallId, () => madeUpId(this.#seed, choice, position, name, waiting))
    return { type: 'tool-input-start', choice, id, toolCallId, toolName: name }
  }

  /** Not by `shift`, which moves all of a long queue: what is behind is let go of when it is half of it. */
  #dropFirst(): void {
    this.#first += 1
    if (this.#first * 2 < this.#queue.length) return
    this.#queue = this.#queue.slice(this.#first)
    this.#first = 0
  }

  /** Closes the live block: the next one, if any, is live then. */
  #close(block: Block, parts: StreamPart[]): void {
    this.#dropFirst()
    if (block.type === 'tool') {
      this.#openTools.delete(block.position)
      this.#closedTools.add(block.position)
    }
    const type = block.type === 'tool' ? 'tool-input-end' : (`${block.type}-end` as const)
    parts.push({ type, choice: this.#choice, id: block.id })
  }
}

/** A call whose name has not come: other formats name it where it begins. */
function isNameless(block: Block): boolean {
  return block.type === 'tool' && block.name === ''
}

/** Whether what has come of a call may be the word for no arguments. */
function mayBeNull(block: Block): boolean {
  return block.type === 'tool' && !block.open && NULL_BEGUN.test(block.waiting)
}

/** A name that comes in pieces grows; one that is repeated in every piece, or sent anew each time longer, does not. */
function joinName(name: string, piece: string): string {
  if (piece === '' || piece === name) return name
  return piece.startsWith(name) ? piece : name + piece
}
