/**
 * Which call a streamed piece of a tool call belongs to. The vendor says `index`, and `id` and `name` in the first
 * piece only. Others leave the index out, send -1, give every call index 0 with its own id, repeat the id in every
 * piece, or make up a new id for each. So: an index names a call, unless a new id comes together with a name; without
 * an index the id does; without both it is the call before.
 */
import { asNumber, asString, asObject, type JsonObject } from '../../json.ts'

/** Gives pieces the position of their call in its choice, from 0 on. One per choice. */
export class ToolCallKeys {
  readonly #ids: (string | undefined)[] = []
  readonly #positionOfIndex = new Map<number, number>()

  positionOf(piece: JsonObject): number {
    const id = asString(piece.id) || undefined
    const index = asNumber(piece.index)
    const position =
      index === undefined || index < 0 ? this.#byId(id) : this.#byIndex(index, id, asObject(piece.function))
    this.#ids[position] ??= id
    return position
  }

  #byId(id: string | undefined): number {
    if (id === undefined) return Math.max(0, this.#ids.length - 1)
    const known = this.#ids.indexOf(id)
    return known === -1 ? this.#ids.length : known
  }

  #byIndex(index: number, id: string | undefined, called: JsonObject | undefined): number {
    const known = this.#positionOfIndex.get(index)
    const knownId = known === undefined ? undefined : this.#ids[known]
    const isOther = id !== undefined && knownId !== undefined && id !== knownId && Boolean(asString(called?.name))
    if (known !== undefined && !isOther) return known
    const position = id !== undefined && this.#ids.includes(id) ? this.#ids.indexOf(id) : this.#ids.length
    this.#ids[position] ??= id
    this.#positionOfIndex.set(index, position)
    return position
  }
}
