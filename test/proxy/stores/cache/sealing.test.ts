import { randomBytes } from 'node:crypto'
import t from 'tap'
import { Secret } from '../../../../src/domain/secret.ts'
import { open, seal } from '../../../../src/proxy/stores/cache/sealing.ts'

const SECRET = new Secret('ab'.repeat(32))
const TEXT = Buffer.from(`a plain answer ${'that repeats '.repeat(500)}`)

t.test('what was sealed opens, small and large', async (t) => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('x'), TEXT, randomBytes(200_000)]) {
    t.strictSame(Buffer.from((await open(await seal(bytes, 'name', SECRET), 'name', SECRET)) ?? []), bytes)
  }
})

t.test('nothing of it can be read, nor does it look the same twice', async (t) => {
  const sealed = await seal(TEXT, 'name', SECRET)
  t.notOk(sealed.includes('plain'))
  t.ok(sealed.length < TEXT.length / 10, 'compressed before it is sealed')
  t.notSame(sealed, await seal(TEXT, 'name', SECRET))
})

t.test('another name, another secret, or one changed byte: it does not open', async (t) => {
  const sealed = await seal(Buffer.from('text'), 'name', SECRET)
  t.equal(await open(sealed, 'other', SECRET), undefined)
  t.equal(await open(sealed, 'name', new Secret('cd'.repeat(32))), undefined)
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    t.equal(await open(changed, 'name', SECRET), undefined, `byte ${index}`)
  }
  for (const length of [0, 1, 29]) t.equal(await open(sealed.subarray(0, length), 'name', SECRET), undefined)
})

t.test('an entry that inflates beyond the bound does not open', async (t) => {
  t.equal(await open(await seal(Buffer.alloc(5 * 1024 * 1024), 'name', SECRET), 'name', SECRET), undefined)
})
