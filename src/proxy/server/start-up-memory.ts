/** Gives back what only the start needed. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Compiling modules, schemas and rules leaves twice as much garbage as what stays, and V8 keeps such pages for a growth
 * that a proxy does not see. Takes some 50 ms, so it is done before the first connection, never afterwards.
 */
export function releaseStartUpMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect !== 'function') return
  // The one flavour that gives pages back to the system at once.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
