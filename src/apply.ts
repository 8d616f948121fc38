/** Process entry of `tollgate apply --file PATH`: what the chart's values say of organizations and providers. */
import { readFile } from 'node:fs/promises'
import { parseFlags, UsageError, type FlagSpec } from './command-line.ts'
import { runKubeTool } from './kube-tool.ts'
import { applyResources } from './operator/installation/apply-resources.ts'

export const APPLY_FLAGS = {
  file: { type: 'text', help: 'YAML documents of the kinds Organization and Provider' },
} as const satisfies Record<string, FlagSpec>

/** New CRDs are served within seconds. */
const TIMEOUT_MS = 60_000

/** Returns the exit code. @throws {UsageError} */
export async function runApply(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { file } = parseFlags(args, APPLY_FLAGS, environment)
  if (file === undefined) throw new UsageError('usage: tollgate apply --file PATH')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) throw new UsageError(`--file cannot be read: ${file}`)
  return runKubeTool(environment, 'tollgate-apply', async (tool) => {
    await applyResources({ ...tool, text, timeoutMs: TIMEOUT_MS })
    return true
  })
}
