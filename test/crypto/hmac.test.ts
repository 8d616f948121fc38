import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { TextHmac } from '../../src/crypto/hmac.ts'

const ENCODINGS = ['hex', 'base64url', 'binary'] as const
/** On both sides of SHA-256's block. */
const key = fc.uint8Array({ minLength: 1, maxLength: 200 })
/** Lone surrogates too. */
const text = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constant('\ud800')),
})
/** From where another way is taken on. */
const BOUND = Math.floor((16 * 1024) / 3)

t.test('RFC 4231, test case 2', async (t) => {
  t.equal(
    new TextHmac(Buffer.from('Jefe')).digest('what do ya want for nothing?', 'hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

t.test('whatever the key and the texts before it, a digest is what createHmac makes', async () => {
  fc.assert(
    fc.property(key, fc.array(fc.tuple(text, fc.constantFrom(...ENCODINGS)), { minLength: 1 }), (key, texts) => {
      const hmac = new TextHmac(Buffer.from(key))
      const other = new TextHmac(Buffer.from('another key'))
      return texts.every(([text, encoding]) => {
        other.digest('between two of them', 'hex')
        return hmac.digest(text, encoding) === createHmac('sha256', key).update(text).digest(encoding)
      })
    }),
  )
})

for (const sign of ['a', 'é', '€', '\u{1f600}', '\udc00']) {
  t.test(`long texts of ${JSON.stringify(sign)}, on both ways`, async (t) => {
    for (const length of [BOUND - 2, BOUND - 1, BOUND, BOUND + 1, 3 * BOUND, 100_000]) {
      const text = sign.repeat(length).slice(0, length)
      const expected = createHmac('sha256', 'key').update(text).digest('hex')
      t.equal(new TextHmac(Buffer.from('key')).digest(text, 'hex'), expected, `${length} units`)
    }
  })
}
