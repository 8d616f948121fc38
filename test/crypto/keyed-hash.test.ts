import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { createKeyedHash } from '../../src/crypto/keyed-hash.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 1200 }),
  fc.array(fc.constantFrom('\ud800', '\udc00', 'a', '\0', '€'), { maxLength: 400 }).map((units) => units.join('')),
)

t.test('a keyed hash is the HMAC of the text, for keys and texts of every length', async () => {
  const key = fc.uint8Array({ maxLength: 140 })
  fc.assert(
    fc.property(key, fc.array(text, { minLength: 1, maxLength: 4 }), (bytes, texts) => {
      const keyed = createKeyedHash(bytes)
      return texts.every((each) => {
        const expected = () => createHmac('sha256', bytes).update(each)
        return keyed(each, 'hex') === expected().digest('hex') && keyed(each, 'binary') === expected().digest('binary')
      })
    }),
  )
})

t.test('the examples of RFC 4231 come out', async (t) => {
  t.equal(
    createKeyedHash(Buffer.alloc(20, 0x0b))('Hi There', 'hex'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  )
  t.equal(
    createKeyedHash(Buffer.alloc(131, 0xaa))('Test Using Larger Than Block-Size Key - Hash Key First', 'hex'),
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  )
})
