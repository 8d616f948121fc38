/** Which changes of VirtualKeys lead to questions about Secrets: asking is a call for each namespace without an answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { asObject } from '../../../src/domain/json.ts'
import type { KubeClient } from '../../../src/operator/kube/kube-api.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { SYSTEM_TIMING } from '../../../src/operator/kube/timing.ts'
import type { WatchEvent } from '../../../src/operator/kube/watch-events.ts'
import { ClusterView } from '../../../src/operator/controllers/cluster-view.ts'
import { recordedLog } from '../kube/recorded-log.ts'

let version = 1

function key(namespace: string, name: string): KubeObject {
  version += 1
  const metadata = { namespace, name, uid: `${namespace}-${name}`, resourceVersion: String(version) }
  return { apiVersion: 'tollgate.dev/v1alpha1', kind: 'VirtualKey', metadata, spec: {} }
}

/** An API server that lets nobody read Secrets, holds `keys`, and tells `events` of them one by one. */
function closedCluster(keys: readonly KubeObject[], events: readonly WatchEvent[]) {
  const asked: string[] = []
  const told = Promise.withResolvers<void>()
  const client: Pick<KubeClient, 'list' | 'watch' | 'review'> = {
    list: async ({ kind }) => ({ items: kind === 'VirtualKey' ? [...keys] : [], resourceVersion: '1' }),
    async *watch({ kind }, { signal }) {
      if (kind === 'VirtualKey') {
        await told.promise
        yield* events
      }
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
    },
    review: async (_resource, body) => {
      const attributes = asObject(asObject(body['spec'])?.['resourceAttributes'])
      if (attributes !== undefined) asked.push(String(attributes['namespace'] ?? '*'))
      return { status: { allowed: false } }
    },
  }
  return { client, asked, tell: () => told.resolve() }
}

async function questionsAfter(events: readonly WatchEvent[]): Promise<readonly string[]> {
  const { client, asked, tell } = closedCluster([key('team', 'first')], events)
  let changes = 0
  const view = new ClusterView({
    client,
    timing: SYSTEM_TIMING,
    log: recordedLog(),
    namespace: 'system',
    onChange: ({ kind }) => void (changes += kind === 'VirtualKey' ? 1 : 0),
  })
  await view.start()
  // The round that `start` ends with.
  await sleep(50)
  const before = asked.length
  const expected = changes + events.length
  tell()
  while (changes < expected) await sleep(5)
  await sleep(50)
  await view.stop()
  return asked.slice(before)
}

t.test('a status of a key that is known asks nothing', async (t) => {
  const events = ['first', 'first', 'first'].map((name) => ({
    type: 'object-changed' as const,
    object: key('team', name),
  }))
  t.strictSame(await questionsAfter(events), [])
})

t.test('a key in another namespace does, and one that is gone', async (t) => {
  const asked = await questionsAfter([{ type: 'object-changed', object: key('other', 'second') }])
  t.ok(asked.includes('other'), asked.join())
  const afterEnd = await questionsAfter([{ type: 'object-deleted', object: key('team', 'first') }])
  t.notOk(afterEnd.includes('team'), afterEnd.join())
  t.ok(afterEnd.includes('system'), afterEnd.join())
})
