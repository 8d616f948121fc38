import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import {
  parseVirtualKeyId,
  renderVirtualKey,
  VIRTUAL_KEY_BYTES,
} from '../../../src/domain/resources/virtual-key-text.ts'

const random = fc.uint8Array({ minLength: VIRTUAL_KEY_BYTES, maxLength: VIRTUAL_KEY_BYTES })

t.test('a rendered key has its form, carries its bytes and parses to its id', async () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const { id, text } = renderVirtualKey(bytes)
      const secret = Buffer.from(bytes.subarray(8)).toString('base64url')
      return text.startsWith(`tollgate_${id}_${secret}_`) && text.length === 72 && parseVirtualKeyId(text) === id
    }),
  )
})

t.test('the checksum is the CRC-32 of what stands before it, in base62', async (t) => {
  const { text } = renderVirtualKey(new Uint8Array(VIRTUAL_KEY_BYTES).fill(7))
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const value = text
    .slice(-6)
    .split('')
    .reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
  t.equal(value, crc32(text.slice(0, -7)))
})

t.test('a key with one wrong character is not a key', async () => {
  fc.assert(
    fc.property(random, fc.nat({ max: 71 }), fc.constantFrom('a', 'B', '2', '-', ' '), (bytes, at, character) => {
      const { text } = renderVirtualKey(bytes)
      const typo = text.slice(0, at) + character + text.slice(at + 1)
      return typo === text || parseVirtualKeyId(typo) === undefined
    }),
  )
})

t.test('only the right number of random bytes makes a key', async (t) => {
  t.throws(() => renderVirtualKey(new Uint8Array(39)), RangeError)
})
