import t from 'tap'
import { InnerJson } from '../../../src/domain/formats/inner-json.ts'
import { isJsonObject } from '../../../src/domain/json.ts'

/** What edits of files look like: 2 KB. */
const EDIT = JSON.stringify({
  path: 'src/main.ts',
  edits: Array.from({ length: 20 }, (_, line) => ({ line, old: 'const [a, b] = f({ c: 1 })\n'.repeat(3), new: 'g()' })),
})

const emptyObjects = (count: number) => `[${'{},'.repeat(count - 1)}{}]`

t.test('a history of a thousand edits is read', async (t) => {
  const inner = new InnerJson()
  t.ok(EDIT.length > 2_000)
  t.ok(Array.from({ length: 1_000 }, () => inner.parse(EDIT)).every(isJsonObject))
})

t.test('there is one bound for all texts, however the values are parted over them', async (t) => {
  for (const count of [10, 1_000, 20_000, 120_000]) {
    const inner = new InnerJson()
    const text = emptyObjects(count)
    const texts = Array.from({ length: Math.ceil(300_000 / count) }, () => inner.parse(text))
    const read = texts.filter((value) => value !== undefined).length * count
    t.ok(read >= 100_000 && read <= 150_000, `${count} a text: ${read}`)
  }
})

t.test('what is too much takes no room from what comes after it', async (t) => {
  const inner = new InnerJson()
  t.equal(inner.parse(emptyObjects(200_000)), undefined)
  t.strictSame(inner.parse('{"a":[1]}'), { a: [1] })
  t.ok(inner.parse(emptyObjects(100_000)))
})

t.test('fields count, and what stands in texts does not', async (t) => {
  const fields = `{${Array.from({ length: 130_000 }, (_, index) => `"${index}":1`).join(',')}}`
  t.equal(new InnerJson().parse(fields), undefined)
  t.ok(new InnerJson().parse(JSON.stringify({ code: '{"[,:'.repeat(300_000) })))
})

t.test('it is said why a text has no object', async (t) => {
  const inner = new InnerJson()
  t.strictSame(inner.object('{"a":1}'), { a: 1 })
  for (const text of ['[]', '1', '{"a', '']) t.equal(inner.object(text), 'no JSON object')
  t.equal(inner.object(`${emptyObjects(200_000)},`), 'no JSON object')
  t.equal(inner.object(`{"a":${emptyObjects(200_000)}}`), 'too much JSON to be read')
})

t.test('what is no JSON is undefined', async (t) => {
  t.equal(new InnerJson().parse('{"a'), undefined)
})
