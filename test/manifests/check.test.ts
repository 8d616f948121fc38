import t from 'tap'
import type { PatternCheck } from '../../src/domain/resources/organizations.ts'
import { checkManifests } from '../../src/manifests/check.ts'

function check(
  paths: readonly string[],
  checkPattern: PatternCheck = () => undefined,
  strict = false,
): { readonly code: number; readonly lines: string[] } {
  const lines: string[] = []
  const code = checkManifests(paths, {
    environment: {},
    checkPattern,
    strict,
    nowMs: Date.UTC(2026, 0, 1),
    writeLine: (line) => lines.push(line),
  })
  return { code, lines }
}

t.test('good manifests are counted, and what would not be in force is said', async (t) => {
  const path = new URL('../fixtures/manifests/contract-examples.yaml', import.meta.url).pathname
  const { code, lines } = check([path])
  t.equal(code, 0)
  t.match(lines, [
    /^warning: .*\/contract-examples\.yaml:\d+: Provider mistral-eu: SecretNotFound/,
    /^warning: .*:\d+: Provider openai: SecretNotFound/,
    /^warning: .*:\d+: VirtualKey support\/supplied: SecretNotFound/,
    'ok: 1 file, 1 organization, 2 providers, 2 virtual keys',
  ])
  const strict = check([path], undefined, true)
  t.equal(strict.code, 1, 'strictly taken that is a fault')
  t.strictSame(strict.lines, [...lines.slice(0, 3), 'not ok: 3 warnings'])
})

t.test('a pattern that does not compile is a fault, as it is for the gateway', async (t) => {
  const pattern = 'compliance: { masking: { custom: [{ kind: BADGE, pattern: "B([0-9" }] } }'
  const organization = `apiVersion: tollgate.dev/v1alpha1\nkind: Organization\nmetadata: { name: acme }\nspec: { ${pattern} }\n`
  const key =
    'apiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata: { name: k }\nspec: { organizationRef: { name: x } }\n'
  const folder = t.testdir({ 'organization.yaml': `# who we are\n${organization}`, 'key.yaml': key })
  const { code, lines } = check([folder], () => 'missing closing ]')
  t.equal(code, 1)
  t.match(lines, [
    /^.*\/organization\.yaml:2: Organization acme: InvalidPattern: .*BADGE: missing closing \]$/,
    /^warning: .*\/key\.yaml:1: VirtualKey default\/k: OrganizationNotFound/,
  ])
})

t.test('a key that has expired is told of, one that is suspended is meant to be', async (t) => {
  const key = (name: string, spec: string) =>
    `apiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata: { name: ${name} }\nspec: ${spec}\n`
  const folder = t.testdir({
    'a.yaml': key('old', '{ expiresAt: "2025-12-31T00:00:00Z" }'),
    'b.yaml': key('new', '{ expiresAt: "2026-01-02T00:00:00Z" }'),
    'c.yaml': key('stopped', '{ suspended: true }'),
  })
  const { code, lines } = check([folder], undefined, true)
  t.equal(code, 1)
  t.match(lines, [/a\.yaml:1: VirtualKey default\/old: Expired: /, 'not ok: 1 warning'])
})

t.test('bad manifests give exit code 1 and their problems', async (t) => {
  const path = new URL('../fixtures/manifests/invalid/provider-model-auto.yaml', import.meta.url).pathname
  const { code, lines } = check([path])
  t.equal(code, 1)
  t.match(lines, [/provider-model-auto\.yaml:10: document 1 Provider case: spec\.models\[0\]: 'auto' is reserved$/])
})
