import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { renderReference } from '../../src/manifests/reference.ts'
import { readKindSchemas, type Schema } from '../../src/manifests/schema.ts'

const DOCUMENT = new URL('../../docs/manifests.md', import.meta.url)
const MARK =
  '<!-- written from crds/ by `UPDATE=1 npx tap run test/manifests/reference.test.ts`; do not edit below -->\n'

t.test('docs/manifests.md states every field as the CRDs do', async (t) => {
  const [preface = '', reference] = readFileSync(DOCUMENT, 'utf8').split(MARK)
  const expected = `\n${renderReference(readKindSchemas())}`
  if (process.env['UPDATE'] === '1') writeFileSync(DOCUMENT, preface + MARK + expected)
  else t.equal(reference, expected)
})

t.test('every field says what it is, for kubectl explain', async (t) => {
  for (const { kind, schema } of readKindSchemas()) t.strictSame(undescribed(schema, kind), [], kind)
})

function undescribed({ properties = {}, items }: Schema, path: string): string[] {
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description === undefined ? [`${path}.${name}`] : []),
    ...undescribed(field, `${path}.${name}`),
  ])
  return [...own, ...(items === undefined ? [] : undescribed(items, `${path}[]`))]
}
