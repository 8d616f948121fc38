import t from 'tap'
import { checkManifests } from '../../src/manifests/check.ts'

function check(paths: readonly string[]): { readonly code: number; readonly lines: string[] } {
  const lines: string[] = []
  const code = checkManifests(paths, {
    environment: {},
    checkPattern: () => undefined,
    writeLine: (line) => lines.push(line),
  })
  return { code, lines }
}

t.test('good manifests are counted, and what would not be in force is said', async (t) => {
  const path = new URL('../fixtures/manifests/contract-examples.yaml', import.meta.url).pathname
  const { code, lines } = check([path])
  t.equal(code, 0)
  t.match(lines, [
    /^warning: Provider mistral-eu: SecretNotFound/,
    /^warning: Provider openai: SecretNotFound/,
    /^warning: VirtualKey support\/supplied: SecretNotFound/,
    'ok: 1 file, 1 organization, 2 providers, 2 virtual keys',
  ])
})

t.test('bad manifests give exit code 1 and their problems', async (t) => {
  const path = new URL('../fixtures/manifests/invalid/provider-model-auto.yaml', import.meta.url).pathname
  const { code, lines } = check([path])
  t.equal(code, 1)
  t.match(lines, [/provider-model-auto\.yaml:10: document 1 Provider case: spec\.models\[0\]: 'auto' is reserved$/])
})
