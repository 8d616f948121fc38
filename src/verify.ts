/** Process entry of `tollgate verify`, which `helm test` runs. */
import { randomBytes } from 'node:crypto'
import { parseFlags, parseName, parseWholeNumber, type FlagSpec } from './command-line.ts'
import { runKubeTool } from './kube-tool.ts'
import { verifyInstallation } from './operator/installation/verify.ts'

export const VERIFY_FLAGS = {
  namespace: {
    type: 'text',
    help: 'a namespace labelled for injection, in which to try a key and a pod; nothing stays',
  },
  organization: {
    type: 'text',
    help: 'organization of that key (default: the first that is ready and grants the namespace)',
  },
  'webhook-configuration': {
    type: 'text',
    default: 'tollgate-sidecar-injector',
    help: 'MutatingWebhookConfiguration of the installation',
  },
  timeout: { type: 'text', default: '60', help: 'seconds that each step may take' },
} as const satisfies Record<string, FlagSpec>

/** Returns the exit code: 0 where all works. @throws {UsageError} */
export async function runVerify(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const flags = parseFlags(args, VERIFY_FLAGS, environment)
  const timeoutMs = parseWholeNumber('timeout', flags.timeout, 1, 9_999) * 1_000
  const chosen = {
    webhookConfiguration: parseName('webhook-configuration', flags['webhook-configuration']),
    namespace: parseName('namespace', flags.namespace),
    organization: parseName('organization', flags.organization),
  }
  return runKubeTool(environment, 'tollgate-verify', async ({ client, timing, writeLine }) => {
    await verifyInstallation({
      client,
      timing,
      writeLine,
      ...chosen,
      keyName: `tollgate-verify-${randomBytes(4).toString('hex')}`,
      timeoutMs,
    })
    return true
  })
}
