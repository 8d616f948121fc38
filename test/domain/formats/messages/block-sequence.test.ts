import fc from 'fast-check'
import t from 'tap'
import { BlockSequence } from '../../../../src/domain/formats/messages/block-sequence.ts'

t.test('items pass block by block in the order of the openings, whatever the order in which they come', async () => {
  const steps = fc.array(fc.record({ block: fc.nat(6), act: fc.constantFrom('push', 'close') }), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (list) => {
      const sequence = new BlockSequence<string>()
      const said = new Map<number, string[]>()
      const passed: string[] = []
      for (const [serial, { block, act }] of list.entries()) {
        const key = String(block)
        if (!said.has(block)) {
          sequence.open(key)
          said.set(block, [])
        }
        const item = `${block}:${serial}`
        if (sequence.has(key)) said.get(block)?.push(item)
        for (const one of act === 'push' ? sequence.push(key, item) : sequence.close(key, item)) passed.push(one)
      }
      for (const key of sequence.openKeys) {
        said.get(Number(key))?.push('end')
        for (const one of sequence.close(key, 'end')) passed.push(one)
      }
      return passed.join() === [...said.values()].flat().join()
    }),
  )
})

t.test('two hundred thousand open blocks pass in linear time', async (t) => {
  const count = 200_000
  const sequence = new BlockSequence<number>()
  let passed = 0
  for (let index = 0; index < count; index++) {
    sequence.open(String(index))
    passed += sequence.push(String(index), index).length
  }
  for (let index = count - 1; index >= 0; index--) passed += sequence.close(String(index), index).length
  t.equal(passed, 2 * count)
})
