import t from 'tap'
import { Cohort } from '../../../src/proxy/pipeline/cohort.ts'

/** Two steps behind the cohort. */
async function goThrough(cohort: Cohort, name: string, order: string[]): Promise<void> {
  await cohort.join()
  order.push(`${name} one`)
  await Promise.resolve()
  order.push(`${name} two`)
}

t.test('who has joined goes on beside the others, a step each', async (t) => {
  const cohort = new Cohort()
  const order: string[] = []
  await Promise.all(['a', 'b'].map((name) => goThrough(cohort, name, order)))
  t.strictSame(order, ['a one', 'b one', 'a two', 'b two'])
})

t.test('cohorts leave one after the other', async (t) => {
  const [first, second] = [new Cohort(), new Cohort()]
  const order: string[] = []
  await Promise.all([goThrough(first, 'a', order), goThrough(second, 'b', order), goThrough(first, 'c', order)])
  t.strictSame(order, ['a one', 'c one', 'a two', 'c two', 'b one', 'b two'])
})

t.test('who joins when it has left goes with the next', async (t) => {
  const cohort = new Cohort()
  const order: string[] = []
  const late = cohort.join().then(() => goThrough(cohort, 'late', order))
  setImmediate(() => order.push('between'))
  await late
  t.strictSame(order, ['between', 'late one', 'late two'])
})

t.test('of many, some are through before the next begin', async (t) => {
  const cohort = new Cohort()
  const order: string[] = []
  await Promise.all(Array.from({ length: 40 }, (_, index) => goThrough(cohort, String(index), order)))
  t.equal(order.indexOf('31 one'), 31)
  t.equal(order.indexOf('0 two'), 32)
  t.ok(order.indexOf('32 one') > order.indexOf('31 two'))
  t.equal(order.length, 80)
})
