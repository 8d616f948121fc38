import { createHmac } from 'node:crypto'
import t from 'tap'
import { contentHash } from '../../src/crypto/content-hash.ts'
import { deriveCacheKey, deriveKeyPepper, deriveRedactionSecret, keyDigester } from '../../src/crypto/derive.ts'
import { Secret } from '../../src/domain/secret.ts'

/** By another implementation of RFC 5869 (Python's hmac). */
const VALUES = [
  '0ece6a9eed9f568c71741a2b0a835b032fa83dae90fca8b1d580d1f84ba2ecc9',
  'c348c4b1e65d055c4a4a178caf00c0afa15171f6a229b5206475acc3dc0937b2',
  'f2bb533802d3b952d1b37a078b87f81d7bd6617d621e68aba14c536dc3daf36c',
  'b9a7b9f3ca4cff4392600889af676229cc400713b9f336bd4e18ee42f6ea9207',
]

const MASTER = new Secret('00'.repeat(32))

t.test('what is derived stays the same over releases: stored keys, tokens and answers depend on it', async (t) => {
  const values = [
    deriveKeyPepper(MASTER),
    deriveKeyPepper(MASTER, 'team-a'),
    deriveRedactionSecret(MASTER, 'acme'),
    deriveCacheKey(MASTER, 'acme'),
  ].map((secret) => secret.reveal())
  t.same(values, VALUES)
  t.equal(new Set(values).size, values.length)
})

t.test('a key is digested by HMAC-SHA256 with the pepper', async (t) => {
  const pepper = deriveKeyPepper(MASTER, 'team-a')
  const expected = createHmac('sha256', Buffer.from(pepper.reveal(), 'hex')).update('a key').digest('hex')
  t.equal(keyDigester(pepper)('a key'), expected)
})

t.test('a content hash is sixteen digits', async (t) => {
  t.match(contentHash('x'), /^[0-9a-f]{16}$/)
  t.not(contentHash('x'), contentHash('y'))
})
