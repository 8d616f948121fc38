import fc from 'fast-check'
import t from 'tap'
import { renameFields } from '../../../src/domain/formats/field-names.ts'
import type { TextPlace } from '../../../src/domain/formats/text-place.ts'
import { TextWalk } from '../../../src/domain/formats/text-walk.ts'
import type { JsonObject } from '../../../src/domain/json.ts'

const PLACE: TextPlace = { scope: 'tool-definition', role: 'system' }

t.test('values in lists and objects are rewritten where they stand', async (t) => {
  const holder: JsonObject = { input: { list: ['a', 1, ['b']], field: 'c' } }
  const walk = new TextWalk(({ text }) => text.toUpperCase())
  walk.values(holder, 'input', PLACE)
  t.strictSame(holder, { input: { LIST: ['A', 1, ['B']], FIELD: 'C' } })
  t.ok(walk.changed)
})

t.test('a walk that changes nothing leaves every object as it was', async (t) => {
  const input: JsonObject = JSON.parse('{"b":1,"a":{"__proto__":"x","7":2}}')
  const walk = new TextWalk(({ text }) => text)
  walk.values({ input }, 'input', PLACE)
  walk.leaves({ input }, 'input', PLACE)
  walk.names(input, new Set(), PLACE)
  t.notOk(walk.changed)
  t.equal(JSON.stringify(input), '{"b":1,"a":{"7":2,"__proto__":"x"}}')
})

t.test('names that the format gives stay, whatever the visitor makes of them', async (t) => {
  const holder: JsonObject = { role: 'x', model: 'y', extra: 1, metadata: { user_id: 'z', team: 'z' } }
  const walk = new TextWalk(({ text, isName }) => (isName === true ? text.toUpperCase() : text))
  walk.names(holder, new Set(['role']), PLACE)
  walk.parameters(holder, ['METADATA'], undefined, { known: new Set(['user_id']) })
  t.equal(JSON.stringify(holder), '{"role":"x","model":"y","EXTRA":1,"METADATA":{"user_id":"z","TEAM":"z"}}')
})

t.test('however fields are renamed, none is lost, values stay with their names and the order is kept', async (t) => {
  const name = fc.oneof(
    fc.constantFrom('a', 'b', 'ab', '[[X]]', '[[X]] (2)', '[[X]] (3)', '__proto__', 'constructor', 'toString'),
    fc.string({ maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.dictionary(name, name), (names, renamings) => {
      const before: JsonObject = JSON.parse(`{${names.map((key, place) => `${JSON.stringify(key)}:${place}`).join()}}`)
      const fields = Object.entries(before)
      const renamed = new Map(Object.entries(renamings).filter(([from, to]) => from !== to && names.includes(from)))
      renameFields(before, renamed)
      const after = Object.entries(before)
      t.equal(after.length, fields.length)
      const textual = (list: [string, unknown][]) =>
        list.filter(([key]) => !/^\d+$/.test(key)).map(([, value]) => value)
      const stayed = fields.filter(([key]) => !/^\d+$/.test(key) && !/^\d+$/.test(renamed.get(key) ?? key))
      const kept = new Set(stayed.map(([, value]) => value))
      t.strictSame(
        textual(after).filter((value) => kept.has(value as number)),
        [...kept],
      )
      for (const [key, value] of fields)
        if (!renamed.has(key)) t.equal(Object.getOwnPropertyDescriptor(before, key)?.value, value)
    }),
  )
})

t.test('a hundred thousand fields that want one name have it one after the other', async (t) => {
  const object: JsonObject = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`n${index}`, index]))
  renameFields(object, new Map(Object.keys(object).map((name) => [name, 'x'])))
  t.strictSame(Object.keys(object).slice(0, 3), ['x', 'x (2)', 'x (3)'])
  t.equal(object['x (100000)'], 99_999)
})
