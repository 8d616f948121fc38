import t from 'tap'
import { Secret } from '../../../../src/domain/secret.ts'
import { SealingKeys, sealingKeysOf } from '../../../../src/proxy/stores/cache/sealing-keys.ts'

const SECRET = new Secret('ab'.repeat(32))

t.test('a key is given up before its numbers run out, and none is given twice', async (t) => {
  const keys = new SealingKeys(SECRET, 10)
  const given = Array.from({ length: 95 }, () => {
    const { salt, sequence } = keys.next()
    return { salt: Buffer.from(salt).toString('hex'), sequence }
  })
  t.equal(new Set(given.map(({ salt, sequence }) => `${salt} ${sequence}`)).size, 95)
  t.equal(new Set(given.map(({ salt }) => salt)).size, 10, 'a new salt every ten entries')
  t.equal(Math.max(...given.map(({ sequence }) => sequence)), 10)
})

t.test('who has the secret makes the same key of a salt, who has another does not', async (t) => {
  const { salt, key } = new SealingKeys(SECRET).next()
  const text = Buffer.from(salt).toString('latin1')
  t.ok(key.equals(new SealingKeys(new Secret('ab'.repeat(32))).opening(text)))
  t.notOk(key.equals(new SealingKeys(new Secret('cd'.repeat(32))).opening(text)))
  const otherEnd = text.endsWith('\0') ? '\x01' : '\0'
  t.notOk(key.equals(new SealingKeys(SECRET).opening(text.slice(0, -1) + otherEnd)))
})

t.test('keys of other processes are kept up to a bound, and made again beyond it', async (t) => {
  const keys = new SealingKeys(SECRET)
  const first = keys.opening('salt 0')
  t.equal(keys.opening('salt 0'), first)
  for (let index = 1; index <= 1_000; index++) keys.opening(`salt ${index}`)
  t.not(keys.opening('salt 0'), first)
  t.ok(keys.opening('salt 0').equals(first))
  const { salt, key } = keys.next()
  t.ok(key.equals(keys.opening(Buffer.from(salt).toString('latin1'))))
})

t.test('a secret has its keys once in a process', async (t) => {
  t.equal(sealingKeysOf(SECRET), sealingKeysOf(SECRET))
  t.not(sealingKeysOf(SECRET), sealingKeysOf(new Secret('ab'.repeat(32))))
})
