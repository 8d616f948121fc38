import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkManifests } from '../../src/manifests/check.ts'
import { checkPattern } from '../../src/proxy/guardrails/check-pattern.ts'
import { literalRefusal } from '../../src/proxy/providers/address-guard.ts'

const DOCUMENT = new URL('../../docs/manifests.md', import.meta.url)
const BLOCK = /^```yaml\n(.*?)^```/gms
const ENVIRONMENT = { SEARCH_KEY: 'tollgate_search_'.padEnd(40, 'x') }

const examples = [...readFileSync(DOCUMENT, 'utf8').matchAll(BLOCK)].map(([, block = '']) => block)

t.test('docs/manifests.md has examples', async (t) => t.ok(examples.length >= 3))

for (const [index, example] of examples.entries()) {
  t.test(`example ${index + 1} of docs/manifests.md is in force as it stands`, async (t) => {
    t.match(check(t.testdir({ 'example.yaml': example })), { code: 0, lines: [/^ok: 1 file, /] })
  })
}

t.test('the examples go together', async (t) => {
  const folder = t.testdir(Object.fromEntries(examples.map((example, index) => [`${index}.yaml`, example])))
  t.match(check(folder), { code: 0, lines: [new RegExp(`^ok: ${examples.length} files, `)] })
})

function check(folder: string): { readonly code: number; readonly lines: string[] } {
  const lines: string[] = []
  const writeLine = (line: string): void => void lines.push(line.replace(join(folder, '/'), ''))
  const options = { environment: ENVIRONMENT, checkPattern, checkAddress: literalRefusal, nowMs: 0, writeLine }
  return { code: checkManifests([folder], options), lines }
}
