import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { renderReference } from '../../src/manifests/reference.ts'
import { readKindSchemas } from '../../src/manifests/schema.ts'

const DOCUMENT = new URL('../../docs/manifests.md', import.meta.url)
const MARK =
  '<!-- written from crds/ by `UPDATE=1 npx tap run test/manifests/reference.test.ts`; do not edit below -->\n'

t.test('docs/manifests.md states every field as the CRDs do', async (t) => {
  const [preface = '', reference] = readFileSync(DOCUMENT, 'utf8').split(MARK)
  const expected = `\n${renderReference(readKindSchemas())}`
  if (process.env['UPDATE'] === '1') writeFileSync(DOCUMENT, preface + MARK + expected)
  else t.equal(reference, expected)
})
