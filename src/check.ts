/** Process entry of `tollgate check [--strict] PATH...`. */
import { UsageError } from './command-line.ts'
import { nearest } from './domain/nearest-name.ts'
import { checkManifests } from './manifests/check.ts'
import { checkPattern } from './proxy/guardrails/check-pattern.ts'
import { literalRefusal } from './proxy/providers/address-guard.ts'
import { endWithOutput } from './standard-output.ts'

/** As `helpOf` has it: the one flag is a switch that is off unless it is given. */
export const CHECK_HELP = '  --strict                what is only warned of is a fault, too: exit 1'

const USAGE = 'usage: tollgate check [--strict] PATH...'

/** What a shell says of a program that SIGPIPE has ended, which Node ignores: neither a success nor a fault was found. */
const READER_GONE = 141

/** Prints what is wrong with the manifests. Returns the exit code. @throws {UsageError} */
export async function runCheck(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const paths = args.filter((arg) => arg !== '--strict')
  const wrong = paths.find((path) => path === '' || path.startsWith('-'))
  if (wrong !== undefined) {
    const meant = nearest(wrong, ['--strict']) === undefined ? '' : ', did you mean --strict?'
    throw new UsageError(`${wrong === '' ? 'a path is empty' : `unknown option '${wrong}'${meant}`}; ${USAGE}`)
  }
  if (paths.length === 0) throw new UsageError(USAGE)
  endWithOutput(READER_GONE)
  return checkManifests(paths, {
    environment,
    strict: paths.length < args.length,
    checkPattern,
    checkAddress: literalRefusal,
    nowMs: Date.now(),
    writeLine: (line) => process.stdout.write(`${line}\n`),
  })
}
