import t from 'tap'
import type { Build } from '../../../src/operator/controllers/build.ts'
import { ProgrammedLedger } from '../../../src/operator/controllers/programmed.ts'

const ONE = 'VirtualKey/team/one'
const TWO = 'VirtualKey/team/two'

/** A build of these entries; `shard` is the revision of the owner's shard. */
function buildOf(entries: Readonly<Record<string, string>>, shard: string): Build {
  return {
    snapshot: { schema: 1, revision: shard, organizations: [], providers: [], virtualKeys: [] },
    credentials: new Map(),
    shards: [{ name: 'tg:cfg:ns:team', revision: shard, body: '' }],
    conditions: new Map(),
    versions: new Map(),
    revisions: new Map(Object.entries(entries)),
  }
}

function running(...shards: readonly string[]) {
  return new Map(
    shards.map((shard, index) => [`pod-${index}`, { revision: '', shards: { 'tg:cfg:ns:team': shard } }] as const),
  )
}

t.test('without data planes an entry is in force with its publication', async (t) => {
  const ledger = new ProgrammedLedger()
  t.equal(ledger.hasPublished, false)
  ledger.published(buildOf({ [ONE]: 'r1' }, 's1'))
  t.equal(ledger.hasPublished, true)
  t.strictSame(ledger.acknowledged('team', new Map()), [ONE])
  t.equal(ledger.stateOf(ONE, 'r1'), 'in-force')
  t.equal(ledger.stateOf(ONE, 'r2'), 'not-published')
  t.equal(ledger.stateOf(TWO), 'not-published')
})

t.test(
  'an entry is in force when the last data plane has taken it over, and stays so when another one changes',
  async (t) => {
    const ledger = new ProgrammedLedger()
    ledger.published(buildOf({ [ONE]: 'r1' }, 's1'))
    ledger.acknowledged('team', running('s1', 's1'))
    ledger.published(buildOf({ [ONE]: 'r1', [TWO]: 'r1' }, 's2'))
    t.strictSame(ledger.pendingOwners, ['team'])
    t.strictSame(ledger.acknowledged('team', running('s2', 's1')), [])
    t.equal(ledger.stateOf(ONE, 'r1'), 'in-force')
    t.equal(ledger.stateOf(TWO, 'r1'), 'pending')
    t.strictSame(ledger.acknowledged('team', running('s2', 's2')), [TWO])
    t.strictSame(ledger.pendingOwners, [])
  },
)

t.test(
  'a data plane that already runs a later shard has the entry too, one with an unknown shard has not',
  async (t) => {
    const ledger = new ProgrammedLedger()
    ledger.published(buildOf({ [ONE]: 'r1' }, 's1'))
    ledger.published(buildOf({ [ONE]: 'r1', [TWO]: 'r1' }, 's2'))
    t.strictSame(ledger.acknowledged('team', running('unknown')), [])
    t.strictSame(ledger.acknowledged('team', running('s1')), [ONE])
    t.strictSame(ledger.acknowledged('team', running('s2')), [TWO])
  },
)

t.test('what is published no more is not published', async (t) => {
  const ledger = new ProgrammedLedger()
  ledger.published(buildOf({ [ONE]: 'r1' }, 's1'))
  ledger.published(buildOf({}, 's2'))
  t.equal(ledger.stateOf(ONE), 'not-published')
  t.strictSame(ledger.pendingOwners, [])
})

t.test('what a publication that is under way or has failed names is not out for certain', async (t) => {
  const ledger = new ProgrammedLedger()
  t.equal(ledger.isOut(ONE), false, 'nothing is known before the first publication')
  ledger.published(buildOf({}, 's1'))
  t.equal(ledger.isOut(ONE), true)
  ledger.publishing(buildOf({ [ONE]: 'r1' }, 's2'))
  ledger.publishing(buildOf({}, 's1'))
  t.equal(ledger.isOut(ONE), false, 'the first of them may have been written')
  ledger.published(buildOf({}, 's1'))
  t.equal(ledger.isOut(ONE), true)
  ledger.published(buildOf({ [ONE]: 'r1' }, 's2'))
  t.equal(ledger.isOut(ONE), false)
})
