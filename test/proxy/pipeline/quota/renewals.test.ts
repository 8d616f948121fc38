import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Renewals, type Renewable } from '../../../../src/proxy/pipeline/quota/renewals.ts'

t.test('what is kept is renewed again and again, until it is dropped', async (t) => {
  const renewals = new Renewals(5)
  const [dropped, kept] = [counted(), counted()]
  renewals.keep(dropped)
  renewals.keep(kept)
  renewals.drop(dropped)
  while (kept.count < 3) await sleep(1)
  t.equal(dropped.count, 0)

  renewals.drop(kept)
  renewals.drop(kept)
  const before = kept.count
  const later = counted()
  renewals.keep(later)
  while (later.count < 2) await sleep(1)
  t.equal(kept.count, before)
  renewals.drop(later)
})

t.test('what is kept later is renewed later', async (t) => {
  const renewals = new Renewals(20)
  const order: string[] = []
  const first = counted(() => order.push('first'))
  const second = counted(() => order.push('second'))
  renewals.keep(first)
  await sleep(5)
  renewals.keep(second)
  while (order.length < 4) await sleep(1)
  t.strictSame(order.slice(0, 4), ['first', 'second', 'first', 'second'])
  for (const item of [first, second]) renewals.drop(item)
})

t.test('of what is dropped while it is renewed nothing is renewed any more', async (t) => {
  const renewals = new Renewals(2)
  const item = counted(() => renewals.drop(item))
  const other = counted()
  renewals.keep(item)
  renewals.keep(other)
  while (other.count < 3) await sleep(1)
  t.equal(item.count, 1)
  renewals.drop(other)
})

function counted(onRenewal: () => void = () => {}): Renewable & { count: number } {
  return {
    count: 0,
    dueAtMs: 0,
    previous: undefined,
    next: undefined,
    renew() {
      this.count++
      onRenewal()
    },
  }
}
