/**
 * Ids for the tool calls of an answer that gives none, or one twice. The same answer has the same ids however it was sent,
 * and the answers of one conversation have different ones: they hold the response's id or, where that is missing too, a
 * digest of the call.
 */

/**
 * In the alphabet that every vendor takes. `seed` is the response's id, or what else tells answers apart; `position` counts
 * the calls of one choice; `args` is what has come of the arguments.
 */
export function madeUpId(seed: string, choice: number, position: number, name: string, args: string): string {
  const told = seed.replaceAll(/[^A-Za-z0-9]/g, '').slice(-24) || digest(name + args)
  return `call_${told}_${choice}_${position}`
}

/** What tells answers apart: the id, or the second of its making. Empty where there is neither. */
export function seedOf(responseId: string, created: number | undefined): string {
  return responseId || String(created || '')
}

/** The ids of one choice's calls. A client ties a result to its call by the id: one that was given before is made another. */
export class AnswerIds {
  readonly #given = new Set<string>()

  /** `given`, or what `make` makes where that is none. */
  distinct(given: string | undefined, make: () => string): string {
    const id = given || make()
    const own = this.#given.has(id) ? make() : id
    this.#given.add(own)
    return own
  }
}

/** FNV-1a, 32 bits: it must differ, not withstand anyone. @see http://www.isthe.com/chongo/tech/comp/fnv/ */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
