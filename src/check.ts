/** Process entry of `tollgate check PATH...`. */
import { UsageError } from './command-line.ts'
import { checkManifests } from './manifests/check.ts'
import { checkPattern } from './proxy/guardrails/check-pattern.ts'

/** Prints what is wrong with the manifests. Returns the exit code. @throws {UsageError} */
export async function runCheck(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  if (args.length === 0 || args.some((path) => path === '' || path.startsWith('-')))
    throw new UsageError('usage: tollgate check PATH...')
  return checkManifests(args, {
    environment,
    checkPattern,
    writeLine: (line) => process.stdout.write(`${line}\n`),
  })
}
