/**
 * Ids for the function calls of an answer that gives none. The same answer has the same ids however it was sent, and the
 * answers of one conversation have different ones: they hold the response's id or, where that is missing too, a digest of
 * the call.
 */

/** In the alphabet that every vendor takes. `position` counts the calls of one candidate. */
export function madeUpId(responseId: string, candidate: number, position: number, name: string, args: string): string {
  const seed = responseId.replaceAll(/[^A-Za-z0-9]/g, '').slice(-24) || digest(name + args)
  return `call_${seed}_${candidate}_${position}`
}

/** FNV-1a, 32 bits: it must differ, not withstand anyone. @see http://www.isthe.com/chongo/tech/comp/fnv/ */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
