/**
 * Synchronous work under a clock. What a library makes of a client's schema can run for ever (a dozen schemas, each of
 * which refers to the next one twice) or call itself without end; nothing but the engine can stop it then.
 */
import { createContext, Script, type Context } from 'node:vm'

const CALL = new Script('work()')

/** Made at the first use: most gateways never check a schema. */
let sandbox: Context | undefined

/** What `work` returns, wrapped; undefined where it took longer or overflowed the call stack. Throws what it throws. */
export function runBounded<Result>(milliseconds: number, work: () => Result): { readonly result: Result } | undefined {
  sandbox ??= createContext({})
  let done: { readonly result: Result } | undefined
  sandbox['work'] = () => {
    done = { result: work() }
  }
  try {
    CALL.runInContext(sandbox, { timeout: milliseconds })
  } catch (error) {
    if (!isTimeout(error) && !(error instanceof RangeError)) throw error
  } finally {
    sandbox['work'] = undefined
  }
  return done
}

/** The error is one of the sandbox's realm, whose `Error` is another. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
