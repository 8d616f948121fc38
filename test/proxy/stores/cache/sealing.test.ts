import { execFile } from 'node:child_process'
import { createCipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { Secret } from '../../../../src/domain/secret.ts'
import { HEAD_BYTES, open, seal } from '../../../../src/proxy/stores/cache/sealing.ts'

const HEX = 'ab'.repeat(32)
const SECRET = new Secret(HEX)
const TEXT = Buffer.from(`a plain answer ${'that repeats '.repeat(500)}`)

/** Bytes around the sizes at which they are compressed, and compressed in another thread. */
const anyBytes = fc
  .tuple(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(0, 0, 4_096, 16_384, 20_000))
  .map(([start, more]) => Buffer.concat([start, Buffer.alloc(more, 'text ')]))

t.test('what was sealed opens, whatever its size, under its own name and secret only', async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, fc.string(), fc.string(), async (bytes, name, other) => {
      const sealed = await seal(bytes, name, SECRET)
      const opened = await open(sealed, name, SECRET)
      if (opened === undefined || !bytes.equals(opened)) return false
      if (other !== name && (await open(sealed, other, SECRET)) !== undefined) return false
      return (await open(sealed, name, new Secret('cd'.repeat(32)))) === undefined
    }),
    { numRuns: 300 },
  )
})

t.test('what does not compress opens too', async (t) => {
  const bytes = randomBytes(200_000)
  t.ok(bytes.equals((await open(await seal(bytes, 'name', SECRET), 'name', SECRET)) ?? Buffer.alloc(0)))
})

t.test('nothing of it can be read, nor does it look the same twice', async (t) => {
  const sealed = await seal(TEXT, 'name', SECRET)
  t.notOk(sealed.includes('plain'))
  t.ok(sealed.length < TEXT.length / 10, 'compressed before it is sealed')
  t.notSame(sealed, await seal(TEXT, 'name', SECRET))
})

t.test('one changed byte, wherever, or a piece that is missing: it does not open', async (t) => {
  for (const bytes of [Buffer.from('text'), TEXT]) {
    const sealed = await seal(bytes, 'name', SECRET)
    for (let index = 0; index < sealed.length; index++) {
      for (const bit of [1, 128]) {
        const changed = Buffer.from(sealed)
        changed[index] = (changed[index] ?? 0) ^ bit
        t.equal(await open(changed, 'name', SECRET), undefined, `byte ${index}`)
      }
    }
    for (const length of [0, 1, HEAD_BYTES - 1, HEAD_BYTES, sealed.length - 1]) {
      t.equal(await open(sealed.subarray(0, length), 'name', SECRET), undefined, `${length} bytes`)
    }
    t.equal(await open(Buffer.concat([sealed, Buffer.of(0)]), 'name', SECRET), undefined, 'a byte more')
  }
})

t.test('the heads of one entry do not open another, sealed with the same key', async (t) => {
  const [one, other] = [await seal(Buffer.from('one'), 'name', SECRET), await seal(Buffer.from('two'), 'name', SECRET)]
  t.ok(one.subarray(2, 18).equals(other.subarray(2, 18)), 'one salt')
  const mixed = Buffer.concat([one.subarray(0, HEAD_BYTES), other.subarray(HEAD_BYTES)])
  t.equal(await open(mixed, 'name', SECRET), undefined)
})

t.test('no key meets a nonce twice, whatever is sealed for whom', async (t) => {
  const seen = new Set<string>()
  const secrets = [SECRET, new Secret(HEX), new Secret('cd'.repeat(32))]
  let count = 0
  await fc.assert(
    fc.asyncProperty(anyBytes, fc.string(), fc.nat(2), async (bytes, name, which) => {
      const sealed = await seal(bytes, name, secrets[which] ?? SECRET)
      seen.add(sealed.toString('latin1', 2, 22))
      return seen.size === ++count
    }),
    { numRuns: 1_000 },
  )
  t.equal(new Set([...seen].map((salted) => salted.slice(0, 16))).size, secrets.length, 'a salt for each secret object')
})

t.test('the form is as described, so that another version of this file can be held to it', async (t) => {
  const name = 'tg:c:v2:{o}:a:-:digest'
  const salt = randomBytes(16)
  const key = createHmac('sha256', Buffer.from(HEX, 'hex')).update('sealing ').update(salt).digest()
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key), Buffer.from('000000000000000000010203', 'hex'))
  cipher.setAAD(Buffer.from(`2 0 ${name}`))
  const text = Buffer.concat([cipher.update('by hand'), cipher.final()])
  const entry = Buffer.concat([Buffer.of(2, 0), salt, Buffer.of(0, 1, 2, 3), cipher.getAuthTag(), text])
  t.equal(String(await open(entry, name, SECRET)), 'by hand')
  const older = Buffer.from(entry)
  older[0] = 1
  t.equal(await open(older, name, SECRET), undefined, 'an entry of another version is none')
})

t.test('two processes open what the other has sealed, and have no salt in common', async (t) => {
  const url = new URL('../../../../src/proxy/stores/cache/sealing.ts', import.meta.url).href
  const secretUrl = new URL('../../../../src/domain/secret.ts', import.meta.url).href
  const ours = await seal(Buffer.from('ours'), 'name', SECRET)
  const script = `
    const { open, seal } = await import('${url}')
    const { Secret } = await import('${secretUrl}')
    const secret = new Secret('${HEX}')
    const opened = await open(Buffer.from('${ours.toString('hex')}', 'hex'), 'name', secret)
    const sealed = await seal(Buffer.from('theirs'), 'name', secret)
    process.stdout.write(JSON.stringify([String(opened), sealed.toString('hex')]))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const [opened, hex] = JSON.parse(stdout) as [string, string]
  const theirs = Buffer.from(hex, 'hex')
  t.equal(opened, 'ours')
  t.equal(String(await open(theirs, 'name', SECRET)), 'theirs')
  t.notOk(theirs.subarray(2, 18).equals(ours.subarray(2, 18)))
})

t.test('an entry that inflates beyond the bound does not open', async (t) => {
  t.equal(await open(await seal(Buffer.alloc(5 * 1024 * 1024), 'name', SECRET), 'name', SECRET), undefined)
})
