/** What tools that end by themselves share: a client of the API server, lines on stdout, an exit code. */
import { homedir } from 'node:os'
import { findConnection } from './operator/kube/find-connection.ts'
import type { KubeClient } from './operator/kube/kube-api.ts'
import { createKubeClient } from './operator/kube/kube-client.ts'
import { KubeHttp } from './operator/kube/kube-http.ts'
import { SYSTEM_TIMING, type Timing } from './operator/kube/timing.ts'
import { outliveOutput } from './standard-output.ts'

/** Calls a second: the finalizers of five thousand keys in half a minute. */
const RATE = 200

export interface KubeTool {
  readonly client: KubeClient
  readonly timing: Timing
  /** Of the connection: the pod's, or that of the kubeconfig's context. */
  readonly namespace: string
  readonly writeLine: (line: string) => void
}

/** Runs `work` as field manager `manager`. Returns the exit code: 0 where it said true, else 1; what it throws is told on stderr. */
export async function runKubeTool(
  environment: NodeJS.ProcessEnv,
  manager: string,
  work: (tool: KubeTool) => Promise<boolean>,
): Promise<number> {
  const timing = SYSTEM_TIMING
  outliveOutput()
  try {
    const connection = await findConnection({ env: environment, home: homedir(), timing })
    const http = new KubeHttp(connection, { timing, userAgent: manager })
    const client = createKubeClient(http, { timing, fieldManager: manager, requestsPerSecond: RATE, burst: 2 * RATE })
    const writeLine = (line: string): void => void process.stdout.write(`${line}\n`)
    try {
      return (await work({ client, timing, namespace: connection.namespace, writeLine })) ? 0 : 1
    } finally {
      await http.close()
    }
  } catch (error) {
    process.stderr.write(`tollgate: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}
