/**
 * One operator as the election sees it, for leader-election.test.ts. Arguments: KUBECONFIG, identity, Lease name. While it
 * believes to be the leader it "writes" every 20 ms. Each line on standard output is one JSON object; `at` is the
 * machine's monotonic clock in milliseconds, the same for all processes.
 */
import { findConnection } from '../../../src/operator/kube/find-connection.ts'
import { createKubeClient } from '../../../src/operator/kube/kube-client.ts'
import { KubeHttp } from '../../../src/operator/kube/kube-http.ts'
import { LeaderElector } from '../../../src/operator/kube/leader-elector.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'

const [KUBECONFIG = '', identity = '', name = ''] = process.argv.slice(2)
const timing = SYSTEM_TIMING
const http = new KubeHttp(await findConnection({ env: { KUBECONFIG }, home: '/', timing }), {
  timing,
  userAgent: identity,
})

const elector = new LeaderElector({
  client: createKubeClient(http, { timing, fieldManager: identity }),
  namespace: 'default',
  name,
  identity,
  timing,
  log: { debug: silent, info: silent, warn: silent, error: silent },
  onElected: (epoch) => tell({ type: 'elected', epoch }),
  onLost: (reason) => {
    tell({ type: 'lost', reason })
    process.exit(1)
  },
})
elector.start()
setInterval(() => {
  // Before the question: a process that is stopped right behind it has written then, not when it wakes.
  const at = milliseconds()
  if (elector.isLeader) tell({ type: 'write', epoch: elector.epoch }, at)
}, 20)
process.once('SIGTERM', () => {
  void elector.stop().then(() => process.exit(0))
})
tell({ type: 'started' })

function tell(line: object, at = milliseconds()): void {
  process.stdout.write(`${JSON.stringify({ ...line, at })}\n`)
}

function milliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

function silent(): void {
  // Only what is told counts.
}
