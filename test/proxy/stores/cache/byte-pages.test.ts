import fc from 'fast-check'
import t from 'tap'
import { BytePages, sizeInPages, type StoredBytes } from '../../../../src/proxy/stores/cache/byte-pages.ts'

const step = fc.oneof(
  fc.record({ type: fc.constant('store' as const), length: fc.nat(10_000), fill: fc.nat(255) }),
  fc.record({ type: fc.constant('release' as const), which: fc.nat() }),
)

t.test('what is stored is read back until it is released, in no more pages than the most that was held', async () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pages = new BytePages()
      const held: { readonly stored: StoredBytes; readonly bytes: Buffer }[] = []
      let most = 0
      for (const each of steps) {
        if (each.type === 'store') {
          const bytes = Buffer.alloc(each.length, each.fill)
          held.push({ stored: pages.store(bytes), bytes })
        } else {
          const [gone] = held.splice(each.which % Math.max(1, held.length), 1)
          if (gone !== undefined) pages.release(gone.stored)
        }
        most = Math.max(
          most,
          held.reduce((sum, { bytes }) => sum + sizeInPages(bytes.length), 0),
        )
        if (!held.every(({ stored, bytes }) => bytes.equals(pages.read(stored)))) return false
      }
      return pages.bytes < most + 1_024 * 1_024
    }),
    { numRuns: 100 },
  )
})
