import fc from 'fast-check'
import t from 'tap'
import { LinkedList, type Linked } from '../../src/domain/linked-list.ts'

interface Item extends Linked<Item> {
  readonly name: number
}

function item(name: number): Item {
  return { name, previous: undefined, next: undefined }
}

t.test('keeps those that were added and not removed, in their order', async (t) => {
  const steps = fc.array(fc.oneof(fc.constant(-1), fc.nat(12)), { maxLength: 40 })
  fc.assert(
    fc.property(steps, (chosen) => {
      const list = new LinkedList<Item>()
      const all: Item[] = []
      let expected: Item[] = []
      for (const choice of chosen) {
        const known = all[choice]
        if (known === undefined) {
          const added = item(all.length)
          list.add(added)
          all.push(added)
          expected.push(added)
        } else {
          // Also such as are no longer there.
          list.remove(known)
          expected = expected.filter((one) => one !== known)
          if (known.previous !== undefined || known.next !== undefined) return false
        }
        const found = [...list]
        if (
          list.size !== expected.length ||
          list.first !== expected[0] ||
          found.length !== list.size ||
          found.some((one, index) => one !== expected[index])
        )
          return false
      }
      return true
    }),
  )
  t.pass()
})
