/** Process entry of `tollgate demo-provider`. */
import { UsageError } from './command-line.ts'
import { runDemoProvider } from './demo-provider/command.ts'
import { endOnSignals } from './signals.ts'

/** Starts one demo provider; it ends by signal. @throws {UsageError} */
export async function runDemo(args: readonly string[]): Promise<undefined> {
  try {
    const provider = await runDemoProvider(args, (line) => process.stdout.write(`${line}\n`))
    endOnSignals(() => provider.close())
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'cannot start')
  }
  return undefined
}
