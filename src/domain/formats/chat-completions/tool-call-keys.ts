/**
 * Which call a streamed piece of a tool call belongs to. The vendor says `index`, and `id` and `name` in the first
 * piece only. Others leave the index out, send -1, give every call index 0 with its own id, repeat the id in every
 * piece, make up a new id for each, or give one id to calls of several indices. So: a known id names its call, unless it
 * comes together with a name under an index that is new; else the index does, unless a new id comes together with a name;
 * without an index a new id is a new call; without both it is the call before.
 */
import { asNumber, asObject, asString, type JsonObject } from '../../json.ts'

interface Call {
  readonly index: number | undefined
  id: string | undefined
}

/** Gives pieces the position of their call in its choice, from 0 on. One per choice. */
export class ToolCallKeys {
  readonly #calls: Call[] = []
  readonly #positionOfIndex = new Map<number, number>()
  readonly #positionOfId = new Map<string, number>()
  /** The server's indices tell nothing of its calls: one has stood for several. */
  #sharesIndex = false

  positionOf(piece: JsonObject): number {
    const id = asString(piece.id) || undefined
    const given = asNumber(piece.index)
    const index = given === undefined || given < 0 ? undefined : given
    const position = this.#known(id, index, Boolean(asString(asObject(piece.function)?.name)))
    if (position === undefined) return this.#add({ id, index })
    const call = this.#calls[position]
    if (call !== undefined && call.id === undefined && id !== undefined) {
      call.id = id
      this.#positionOfId.set(id, position)
    }
    return position
  }

  /** The fields by which a further piece names the call at `position`. */
  addressOf(position: number): JsonObject {
    const call = this.#calls[position]
    if (call === undefined) return {}
    const index = call.index === undefined ? {} : { index: call.index }
    const isPlain = call.index !== undefined && this.#positionOfIndex.get(call.index) === position
    // An id is repeated only where there is no other way: clients append what they get.
    return isPlain || call.id === undefined ? index : { ...index, id: call.id }
  }

  #known(id: string | undefined, index: number | undefined, isNamed: boolean): number | undefined {
    const byId = id === undefined ? undefined : this.#positionOfId.get(id)
    if (byId !== undefined) return this.#ofOneId(byId, index, isNamed)
    if (index === undefined) return id === undefined && this.#calls.length > 0 ? this.#calls.length - 1 : undefined
    const byIndex = this.#positionOfIndex.get(index)
    const isOther = isNamed && id !== undefined && byIndex !== undefined && this.#calls[byIndex]?.id !== undefined
    return isOther ? undefined : byIndex
  }

  /** Which of the calls that bear an id; `last` is the last of them. */
  #ofOneId(last: number, index: number | undefined, isNamed: boolean): number | undefined {
    const call = this.#calls[last]
    if (call === undefined || index === undefined || call.index === undefined || call.index === index) return last
    const byIndex = this.#positionOfIndex.get(index)
    if (byIndex === undefined) return isNamed && !this.#sharesIndex ? undefined : last
    return (this.#calls[byIndex]?.id ?? call.id) === call.id ? byIndex : last
  }

  #add(call: Call): number {
    const position = this.#calls.push(call) - 1
    if (call.index !== undefined) {
      if (this.#positionOfIndex.has(call.index)) this.#sharesIndex = true
      this.#positionOfIndex.set(call.index, position)
    }
    if (call.id !== undefined) this.#positionOfId.set(call.id, position)
    return position
  }
}
