/**
 * Synchronous work under a clock. What a library makes of a client's schema can run for ever (a dozen schemas, each of
 * which refers to the next one twice) or call itself without end; nothing but the engine can stop it then.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { createContext, Script, type Context } from 'node:vm'
import { GatewayError } from '../../domain/errors.ts'

const CALL = new Script('work()')

/** The engine's clock opens two files for each run, and ends the process where it cannot; others may open one meanwhile. */
const FILES_TO_SPARE = 8

/** Made at the first use: most gateways never check a schema. */
let sandbox: Context | undefined

/**
 * What `work` returns, wrapped; undefined where it took longer or overflowed the call stack.
 * @throws {GatewayError} `guardrail_failed` where the process has no files left to open, or got so little of its processor that
 *   the time says nothing of `work`; and what `work` throws
 */
export function runBounded<Result>(milliseconds: number, work: () => Result): { readonly result: Result } | undefined {
  requireFiles()
  sandbox ??= createContext({})
  let done: { readonly result: Result } | undefined
  sandbox['work'] = () => {
    done = { result: work() }
  }
  const before = process.cpuUsage()
  try {
    CALL.runInContext(sandbox, { timeout: milliseconds })
  } catch (error) {
    if (isTimeout(error)) requireProcessor(process.cpuUsage(before), milliseconds)
    else if (!(error instanceof RangeError)) throw error
  } finally {
    sandbox['work'] = undefined
  }
  return done
}

/** Of the time that a run is given: less than this share of it, and it was the machine that was slow. */
const LEAST_SHARE = 0.2

/** The engine's clock goes on while a container that has used up its share of the processor is held. */
function requireProcessor({ user, system }: NodeJS.CpuUsage, milliseconds: number): void {
  if ((user + system) / 1_000 >= milliseconds * LEAST_SHARE) return
  throw new GatewayError('guardrail_failed', 'The gateway had too little processor time for a check of JSON.')
}

function requireFiles(): void {
  const files: number[] = []
  try {
    while (files.length < FILES_TO_SPARE) files.push(openSync(devNull, 'r'))
  } catch (cause) {
    throw new GatewayError('guardrail_failed', 'The gateway cannot open the files that a check of JSON takes.', {
      cause,
    })
  } finally {
    for (const file of files) closeSync(file)
  }
}

/** The error is one of the sandbox's realm, whose `Error` is another. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
