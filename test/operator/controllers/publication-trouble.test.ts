import t from 'tap'
import type { Build } from '../../../src/operator/controllers/build.ts'
import { PublicationTrouble } from '../../../src/operator/controllers/publication-trouble.ts'
import { ManualTiming } from '../kube/manual-timing.ts'

t.test('of causes in turn the one that is told stays for five minutes, then all are told of the other', async (t) => {
  const timing = new ManualTiming()
  const build: Build = {
    snapshot: { schema: 1, revision: 'r', providers: [], organizations: [], virtualKeys: [] },
    shards: [],
    conditions: new Map(),
    versions: new Map([['VirtualKey/team/app', '1']]),
    revisions: new Map(),
    credentials: new Map(),
  }
  const told: (readonly string[])[] = []
  const trouble = new PublicationTrouble(
    timing,
    () => build,
    (resources) => void (resources.length > 0 && told.push(resources)),
  )
  const fail = async (message: string, afterMs: number) => {
    await timing.advance(afterMs)
    trouble.failed({ reason: 'StoreUnavailable', message })
  }
  await fail('a', 0)
  await fail('b', 3_000)
  t.equal(trouble.lasting, undefined)
  await fail('b', 3_000)
  t.equal(trouble.lasting?.message, 'b')
  for (const message of ['a', 'b', 'a']) await fail(message, 5_000)
  t.equal(trouble.lasting?.message, 'b')
  t.equal(told.length, 1)
  await fail('a', 285_000)
  t.equal(trouble.lasting?.message, 'a')
  t.strictSame(told, [['VirtualKey/team/app'], ['VirtualKey/team/app']])
  trouble.succeeded()
  t.equal(trouble.lasting, undefined)
})
