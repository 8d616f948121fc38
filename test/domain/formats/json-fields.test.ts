import fc from 'fast-check'
import t from 'tap'
import type { TextSpan } from '../../../src/domain/completion/text-span.ts'
import { TOOL_INPUT } from '../../../src/domain/formats/text-place.ts'
import { TextWalk } from '../../../src/domain/formats/text-walk.ts'
import type { JsonValue } from '../../../src/domain/json.ts'

/** Each text with the name that it stands under, in any order. */
function named(visitIn: (walk: TextWalk) => void): string[] {
  const texts: string[] = []
  visitIn(
    new TextWalk(({ text, fieldName = '', isName }: TextSpan) => {
      if (isName !== true) texts.push(`${fieldName}=${text}`)
      return text
    }),
  )
  return texts.toSorted()
}

function namedInText(text: string): string[] {
  return named((walk) => walk.json({ arguments: text }, 'arguments', TOOL_INPUT))
}

function namedInValue(value: JsonValue): string[] {
  return named((walk) => walk.values({ '': value }, '', TOOL_INPUT))
}

const NAMED: readonly (readonly [text: string, names: readonly string[]])[] = [
  ['{"password":"a"}', ['password=a']],
  ['{"outer":{"password":"a"},"b":"c"}', ['b=c', 'password=a']],
  ['{"passwords":["a",["b"]],"c":"d"}', ['c=d', 'passwords=a', 'passwords=b']],
  ['[{"password":1},"a"]', ['=a']],
  ['{"password":{"value":"a","hint":"b"}}', ['hint=b', 'password=a']],
  ['{"name":"password","value":"a"}', ['name=password', 'password=a']],
  ['{ "value" : "a" , "n" : -1.5e3, "ok":true, "key" : "pass\\u0077ord" }', ['key=password', 'password=a']],
  ['{"headers":[{"Key":"Cookie","Value":["a"]}]}', ['Cookie\nheaders=a', 'Key=Cookie']],
  ['{"password":{"name":"x","value":"a"}}', ['name=x', 'x\npassword=a']],
  ['{"id":"password","value":"a"}', ['id=password', 'value\npassword=a']],
  ['{"type":"x","name":"b","value":"a","label":"c"}', ['b\nc\nx=a', 'label=c', 'name=b', 'type=x']],
  ['{"password":{"plaintext":"a","hint":"b"}}', ['hint=b', 'plaintext\npassword=a']],
  ['{"plaintext":"a"}', ['plaintext=a']],
  ['{"a":{"name":"b\\n\\nc\\nd","value":{"value":"e"}}}', ['b\nc\nd\na=e', 'name=b\n\nc\nd']],
  ['{"default":"a"}', ['default=a']],
  ['{"a":"{\\"b\\":\\"c]}\\"","d":"e"}', ['a={"b":"c]}"', 'd=e']],
]

for (const [text, names] of NAMED) {
  t.test(`${text} has its texts under their names`, async (t) => {
    t.strictSame(namedInText(text), names)
    t.strictSame(namedInValue(JSON.parse(text)), names)
  })
}

t.test('the texts of a JSON text stand under the same names as those of its value', async (t) => {
  const name = fc.oneof(
    fc.constantFrom('value', 'raw', 'name', 'key', 'id', 'a', '__proto__', '"', '{[', '}'),
    fc.string(),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('tree'), { maxLength: 4 }),
      // A name behind a container is not looked for.
      fc
        .dictionary(name, tie('tree'), { maxKeys: 4 })
        .map((fields) =>
          Object.fromEntries(Object.entries(fields).toSorted(([one], [other]) => rank(one) - rank(other))),
        ),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const text = JSON.stringify(value)
      t.strictSame(namedInText(text), namedInValue(JSON.parse(text)), text)
    }),
  )
})

function rank(name: string): number {
  return ['name', 'key', 'field', 'label', 'id'].includes(name) ? 0 : 1
}

t.test('objects in objects whose fields all look ahead stay linear', async (t) => {
  const seconds = [5_000, 40_000].map((count) => {
    const text = `[${`{"data":"x","value":"y"},`.repeat(count)}"${'z'.repeat(count)}"]`
    const start = performance.now()
    t.equal(namedInText(text).length, count * 2 + 1)
    return performance.now() - start
  })
  t.ok((seconds[1] ?? 0) < (seconds[0] ?? 0) * 8 * 6, String(seconds))
})
