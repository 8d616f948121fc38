import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { renderReference } from '../../src/manifests/reference.ts'
import { readKindSchemas, type Schema } from '../../src/manifests/validation/schema.ts'
import { describePattern } from '../../src/manifests/validation/words.ts'

const DOCUMENT = new URL('../../docs/manifests.md', import.meta.url)
const MARK =
  '<!-- written from crds/ by `UPDATE=1 npx tap run test/manifests/reference.test.ts`; do not edit below -->\n'

t.test('docs/manifests.md states every field as the CRDs do', async (t) => {
  const [preface = '', reference] = readFileSync(DOCUMENT, 'utf8').split(MARK)
  const expected = `\n${renderReference(readKindSchemas())}`
  if (process.env['UPDATE'] === '1') writeFileSync(DOCUMENT, preface + MARK + expected)
  else t.equal(reference, expected)
})

t.test('each kind says that it needs a spec, and which may be empty', async (t) => {
  const said = renderReference(readKindSchemas()).match(/^`spec` is required.*$/gm) ?? []
  const empty = '`spec` is required, also where it is empty: `spec: {}`.'
  t.strictSame([...said], [empty, '`spec` is required.', empty])
})

t.test('every field says what it is, for kubectl explain', async (t) => {
  for (const { kind, schema } of readKindSchemas()) t.strictSame(undescribed(schema, kind), [], kind)
})

t.test('what stands in angle brackets is shown, not taken for HTML', async (t) => {
  const text = renderReference(readKindSchemas()).replaceAll(/`[^`]*`/g, '')
  t.match(text, /&lt;name>/)
  t.notMatch(text, /<[a-z]/)
})

// As it is, it is hard to read in a message, and in the reference Markdown takes its brackets for links.
t.test('every pattern of a spec is said in words', async (t) => {
  for (const { kind, schema } of readKindSchemas()) {
    const patterns = patternsOf(schema.properties?.['spec'])
    t.not(patterns.length, 0, kind)
    t.strictSame(
      patterns.filter((pattern) => describePattern(pattern).includes(pattern)),
      [],
      kind,
    )
  }
})

function patternsOf(schema: Schema | undefined): string[] {
  if (schema === undefined) return []
  const { pattern, properties = {}, items, additionalProperties } = schema
  const below = [...Object.values(properties), items, additionalProperties]
  return [...(pattern === undefined ? [] : [pattern]), ...below.flatMap(patternsOf)]
}

function undescribed({ properties = {}, items }: Schema, path: string): string[] {
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description === undefined ? [`${path}.${name}`] : []),
    ...undescribed(field, `${path}.${name}`),
  ])
  return [...own, ...(items === undefined ? [] : undescribed(items, `${path}[]`))]
}
