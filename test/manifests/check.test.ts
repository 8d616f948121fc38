import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { PatternCheck } from '../../src/domain/resources/organizations.ts'
import { checkManifests } from '../../src/manifests/check.ts'
import { EMBEDDING_TYPES } from '../../src/manifests/remarks/idle-caches.ts'
import type { Environment } from '../../src/manifests/secrets.ts'
import { checkPattern as checkRe2 } from '../../src/proxy/guardrails/check-pattern.ts'
import { literalRefusal } from '../../src/proxy/providers/address-guard.ts'
import { openEndpoint } from '../../src/proxy/providers/endpoint.ts'
import { PROVIDER_FAMILIES } from '../../src/proxy/providers/registry.ts'
import { provider } from '../domain/routing/samples.ts'

const EMBEDDING_PROVIDER = `metadata: { name: openai }
spec:
  type: OpenAICompatible
  countries: [it]
  endpoint: { baseURL: "https://api.example.com/v1" }
  credentials: { type: None }
  models: [{ name: gpt-4o }, { name: embed-small, capabilities: [embeddings] }]`

function documentsOf(manifests: Readonly<Record<string, string>>): string {
  const documents = Object.entries(manifests).map(
    ([kind, text]) => `apiVersion: tollgate.dev/v1alpha1\nkind: ${kind}\n${text}\n`,
  )
  return documents.join('---\n')
}

/** What is said of fields. */
function namesIn(lines: readonly string[]): string[] {
  return lines.filter((line) => line.includes(' spec.')).map((line) => line.slice(line.indexOf(' spec.') + 1))
}

function check(
  paths: readonly string[],
  checkPattern: PatternCheck = () => undefined,
  strict = false,
  environment: Environment = {},
): { readonly code: number; readonly lines: string[] } {
  const lines: string[] = []
  const code = checkManifests(paths, {
    environment,
    checkPattern,
    checkAddress: literalRefusal,
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
    /^note: .*:\d+: VirtualKey \S+: spec\.access\.serviceAccounts: /,
    /^note: .*:\d+: VirtualKey \S+: spec\.key\.generated\.rotation: /,
    /^warning: .*\/contract-examples\.yaml:\d+: Provider mistral-eu: SecretNotFound/,
    /^warning: .*:\d+: Provider openai: SecretNotFound/,
    /^warning: .*:\d+: VirtualKey support\/supplied: SecretNotFound/,
    'ok: 1 file, 1 organization, 2 providers, 2 virtual keys',
  ])
  const strict = check([path], undefined, true)
  t.equal(strict.code, 1, 'strictly taken that is a fault')
  t.strictSame(strict.lines, [...lines.slice(0, 5), 'not ok: 3 warnings'])
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
    /^.*\/organization\.yaml:5: Organization acme: InvalidPattern: .*BADGE: missing closing \]$/,
    /^warning: .*\/key\.yaml:4: VirtualKey default\/k: OrganizationNotFound/,
  ])
})

t.test('what is said of a field has the line of that field, or of the item that is meant', async (t) => {
  const organization = `metadata: { name: acme }
spec:
  grants:
    - { name: all, namespaceSelector: {}, projects: [b] }
  defaults:
    excludeModels:
      - gpt-4o
      - gpt-40
    cache:
      exact: { enabled: false }
      semantic:
        enabled: true
  compliance:
    deniedCountries: [gr,
      el]
    masking:
      kinds:
        - IP
        - PHONES
  projects:
    - name: a`
  const provider = `metadata: { name: openai }
spec:
  type: OpenAICompatible
  countries: [it]
  endpoint:
    baseURL: "https://api.example.com/v1"
    headers:
      x-team: a
      host: b
  credentials: { type: None }
  access:
    organizations:
      - acme
      - nobody
  models: [{ name: gpt-4o }, { name: embed-small, capabilities: [embeddings] }]`
  const key = `metadata: { name: k }
spec:
  project: c
  organizationRef:
    name: acme
  access:
    models: [gpt-4o]
    providers:
      - openai
      - nope`
  const list = documentsOf({ Organization: organization, Provider: provider }).split('---\n')
  const items = list.map((text) => `  - ${text.trimEnd().replaceAll('\n', '\n    ')}\n`).join('')
  const folder = t.testdir({
    'key.yaml': documentsOf({ VirtualKey: key }),
    'list.yaml': `apiVersion: v1\nkind: List\nitems:\n${items}`,
  })
  const said = check([folder]).lines.flatMap((line) => {
    const [, file = '', number = '', words = ''] = /: (\S+\.yaml):(\d+): \S+ \S+: (\S+)/.exec(line) ?? []
    return file === '' ? [] : [[words, readFileSync(file, 'utf8').split('\n')[Number(number) - 1]?.trim()]]
  })
  t.strictSame(said, [
    ['spec.defaults.excludeModels:', '- gpt-40'],
    ['spec.access.providers:', '- nope'],
    ['spec.grants[0].projects:', '- { name: all, namespaceSelector: {}, projects: [b] }'],
    ['spec.access.organizations:', '- nobody'],
    ['spec.compliance.masking.kinds:', '- PHONES'],
    ['spec.defaults.cache.semantic.enabled:', 'enabled: true'],
    ['spec.endpoint.headers:', 'host: b'],
    ['spec.compliance.deniedCountries:', 'el]'],
    ['ProjectNotFound:', 'project: c'],
  ])
})

t.test('a pattern that does not compile is told with the line of that pattern', async (t) => {
  const organization = `metadata: { name: acme }
spec:
  grants: [{ name: all, namespaceSelector: {} }]
  compliance:
    masking:
      custom:
        - kind: BADGE
          pattern: "B[0-9]"
        - kind: DESK
          pattern: "D[0-9"`
  const folder = t.testdir({ 'a.yaml': documentsOf({ Organization: organization }) })
  const { lines } = check([folder], (pattern) => (pattern === 'D[0-9' ? 'missing closing ]' : undefined))
  t.match(lines.at(-1), /a\.yaml:12: Organization acme: InvalidPattern: .*custom DESK: missing closing \]$/)
})

t.test('a pattern whose word borders double quotes made backspaces of is a fault, in YAML and in JSON', async (t) => {
  const spec = (pattern: string) =>
    `spec: { grants: [{ name: all, namespaceSelector: {} }], compliance: { masking: { custom: [{ kind: BADGE, pattern: ${pattern} }] } } }`
  for (const pattern of ['"\\bBADGE[0-9]+\\b"', '"\\x08BADGE[0-9]+"', '"\\u0008BADGE[0-9]+"']) {
    const folder = t.testdir({ 'a.yaml': documentsOf({ Organization: `metadata: { name: acme }\n${spec(pattern)}` }) })
    const { code, lines } = check([folder], checkRe2)
    t.equal(code, 1, pattern)
    t.match(
      lines.at(-1),
      /a\.yaml:\d: Organization acme: InvalidPattern: .*BADGE: character 1 is U\+0008, .*write \\\\b/,
    )
  }
  for (const pattern of ["'\\bBADGE[0-9]+\\b'", '"\\\\bBADGE[0-9]+\\\\b"']) {
    const folder = t.testdir({ 'a.yaml': documentsOf({ Organization: `metadata: { name: acme }\n${spec(pattern)}` }) })
    t.equal(check([folder], checkRe2).code, 0, pattern)
  }
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
  t.match(lines, [
    'warning: no Provider is declared: nobody can answer a call',
    /a\.yaml:4: VirtualKey default\/old: Expired: /,
    'not ok: 2 warnings',
  ])
})

t.test('a kind of masking that nothing finds is told of, and strictly taken a fault', async (t) => {
  const masking = '{ kinds: [EMAIL, PHONES, ADDRESS, BADGE, IP], custom: [{ kind: BADGE, pattern: "B-[0-9]+" }] }'
  const organization = `apiVersion: tollgate.dev/v1alpha1\nkind: Organization\nmetadata: { name: acme }\nspec: { compliance: { masking: ${masking} } }\n`
  const folder = t.testdir({ 'a.yaml': organization })
  const { code, lines } = check([folder])
  t.equal(code, 0)
  t.match(lines, [
    /^warning: .*a\.yaml:4: Organization acme: spec\.compliance\.masking\.kinds: nothing finds PHONES, did you mean PHONE\?$/,
    /: spec\.compliance\.masking\.kinds: nothing finds ADDRESS; there are EMAIL, KEY, CARD, PHONE, SSN, IBAN, IP, BADGE$/,
    /^ok: /,
  ])
  t.equal(check([folder], undefined, true).code, 1)
})

t.test('a file that declares nothing is told of, and strictly taken a fault', async (t) => {
  const folder = t.testdir({ 'empty.yaml': '# nothing yet\n' })
  const missing = [
    'warning: no VirtualKey is declared: every call is a 401',
    'warning: no Provider is declared: nobody can answer a call',
  ]
  const ok = 'ok: 1 file, 0 organizations, 0 providers, 0 virtual keys'
  t.strictSame(check([folder]), { code: 0, lines: [...missing, ok] })
  t.strictSame(check([folder], undefined, true), { code: 1, lines: [...missing, 'not ok: 2 warnings'] })
})

t.test('kinds of others are noted and no fault; what was meant to be ours is one', async (t) => {
  const examples = new URL('../../examples/kubernetes', import.meta.url).pathname
  const { code, lines } = check([examples], undefined, true)
  t.equal(code, 0, lines.join('\n'))
  const note = lines.find((line) => line.includes('Deployment shop/assistant'))
  t.match(note, /^note: .*\/shop\.yaml:\d+: .*apps\/v1 Deployment is not of this gateway and is ignored$/)
  t.match(lines.at(-1), /^ok: /)
  const good = await readFile(join(examples, 'platform.yaml'), 'utf8')
  const shop = await readFile(join(examples, 'shop.yaml'), 'utf8')
  const slips = ['tollgate.dve/v1alpha1 Provider', 'tollgate.io/v1 Thing', 'example.org/v1 VirtualKey', 'v1 Secert']
  for (const slip of slips) {
    const [apiVersion = '', kind = ''] = slip.split(' ')
    const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: slip }\n`
    const folder = t.testdir({ 'a.yaml': good, 'b.yaml': shop, 'c.yaml': text })
    const strict = check([folder], undefined, true)
    t.match(strict, { code: 1 }, slip)
    t.match(
      strict.lines.find((line) => line.startsWith('warning: ')),
      / is ignored$/,
      slip,
    )
    t.equal(strict.lines.at(-1), 'not ok: 1 warning', slip)
  }
  const ours = t.testdir({ 'a.yaml': 'apiVersion: tollgate.dev/v1alpha1\nkind: VirtualKye\nmetadata: { name: a }\n' })
  t.match(check([ours]), { code: 1, lines: [/unknown kind VirtualKye, did you mean VirtualKey\?/] })
})

t.test('a name that nothing declared bears is told of, and strictly taken a fault', async (t) => {
  const grants = 'grants: [{ name: all, namespaceSelector: {} }]'
  const lists = {
    Organization: `metadata: { name: acme }
spec:
  ${grants}
  defaults: { excludeModels: [gpt-40, OpenAI/GPT-4O, Models/GPT-4o, openai/gpt-4o-2024, fast, gpt-4o-2024, gpt-9*] }
  compliance: { deniedProviders: [mistral], deniedModels: [gpt-4o] }
  projects: [{ name: a }, { name: b, defaults: { excludeProviders: [azure] } }]`,
    VirtualKey: `metadata: { name: k }
spec:
  organizationRef: { name: acme }
  policies: { excludeProviders: [opnai, OpenAI, anthropic*] }
  access: { providers: [openai, nope, OpenAI], models: [gpt-9, GPT-4o, gpt-4o, fast, claude-*] }`,
  }
  const provider = `metadata: { name: openai }
spec:
  type: OpenAICompatible
  countries: [it]
  endpoint: { baseURL: "https://api.example.com/v1" }
  credentials: { type: None }
  models: [{ name: gpt-4o, aliases: [fast], upstreamName: gpt-4o-2024 }]`
  const folder = t.testdir({ 'all.yaml': documentsOf({ ...lists, Provider: provider }) })
  const { code, lines } = check([folder])
  const expected = [
    'Organization acme: spec.defaults.excludeModels: no Provider has a model gpt-40, did you mean gpt-4o?',
    'Organization acme: spec.compliance.deniedProviders: no Provider is named mistral',
    'Organization acme: spec.projects[1].defaults.excludeProviders: no Provider is named azure',
    'VirtualKey default/k: spec.policies.excludeProviders: no Provider is named opnai, did you mean openai?',
    'VirtualKey default/k: spec.access.providers: no Provider is named nope',
    'VirtualKey default/k: spec.access.providers: no Provider is named OpenAI, did you mean openai?',
    'VirtualKey default/k: spec.access.models: no Provider has a model gpt-9',
    'VirtualKey default/k: spec.access.models: no Provider has a model GPT-4o, did you mean gpt-4o?',
  ]
  t.equal(code, 0)
  t.strictSame(
    lines.slice(0, -1).map((line) => line.replace(/^warning: .*all\.yaml:\d+: /, '')),
    expected,
  )
  const strict = check([folder], undefined, true)
  t.match([strict.code, strict.lines.at(-1)], [1, `not ok: ${expected.length} warnings`])
  t.strictSame(
    check([t.testdir({ 'key.yaml': documentsOf({ VirtualKey: lists.VirtualKey }) })]).lines.length,
    2,
    'without a Provider nobody knows',
  )
})

t.test(
  'a secretRef beside type None is told of, though the message of the rule speaks of one that lacks',
  async (t) => {
    const provider = EMBEDDING_PROVIDER.replace('type: None', 'type: None, secretRef: { name: s, key: apiKey }')
    const { code, lines } = check([t.testdir({ 'a.yaml': documentsOf({ Provider: provider }) })])
    t.equal(code, 1)
    t.match(lines[0], /spec\.credentials: secretRef is required unless type is None; allowed: .*, none with type None$/)
  },
)

t.test(
  'what a name was meant to be is looked for as long as that is cheap: thousands of keys may list their own',
  async (t) => {
    const models = Array.from({ length: 250 }, (_, model) => {
      const aliases = Array.from({ length: 16 }, (_unused, alias) => `m${model}-${alias}`)
      return `{ name: m${model}, aliases: [${aliases.join(', ')}] }`
    })
    const provider = EMBEDDING_PROVIDER.replace('{ name: gpt-4o }', ['{ name: gpt-4o }', ...models].join(', '))
    const gone = Array.from({ length: 125 }, (_, index) => `gone-${'x'.repeat(20)}-${index}`)
    const names = ['gpt-4p', ...gone, 'gpt-4q'].join(', ')
    const key = `metadata: { name: k }\nspec: { access: { models: [${names}] } }`
    const folder = t.testdir({ 'all.yaml': documentsOf({ Provider: provider, VirtualKey: key }) })
    const said = namesIn(check([folder]).lines)
    t.equal(said.length, 127)
    t.equal(said[0], 'spec.access.models: no Provider has a model gpt-4p, did you mean gpt-4o?')
    t.equal(said.at(-1), 'spec.access.models: no Provider has a model gpt-4q')
  },
)

t.test('a base URL that every gateway refuses to call is told of, and none that may be called', async (t) => {
  const loopback = 'loopback; endpoint.allowInsecureHTTP lets it through'
  const special = 'link-local or special'
  const cases: readonly (readonly [baseURL: string, allowInsecureHTTP: boolean, reason?: string])[] = [
    ['https://127.0.0.1:9815/v1', false, loopback],
    ['https://localhost/v1', false, loopback],
    ['https://models.localhost./v1', false, loopback],
    ['https://[::1]:8080/v1', false, loopback],
    ['https://2130706433/v1', false, loopback],
    ['https://127.0.0.1:9815/v1', true],
    ['http://localhost:11434/v1', true],
    ['https://0.0.0.0/v1', true, special],
    ['https://2852039166/v1', false, special],
    ['https://[fd00:ec2::254]/v1', false, special],
    ['https://10.1.2.3/v1', false],
    ['https://[fd12::1]/v1', false],
    ['https://localhost.example/v1', false],
  ]
  for (const [baseURL, allowInsecureHTTP, reason] of cases) {
    const endpoint = `endpoint: { baseURL: "${baseURL}", allowInsecureHTTP: ${allowInsecureHTTP} }`
    const text = documentsOf({ Provider: EMBEDDING_PROVIDER.replace(/endpoint: .*/, endpoint) })
    const said = reason === undefined ? [] : [`spec.endpoint.baseURL: every call is refused: ${reason}`]
    t.strictSame(namesIn(check([t.testdir({ 'a.yaml': text })]).lines), said, `${baseURL} ${allowInsecureHTTP}`)
    const opened = {
      ...provider('one', []),
      endpoint: { baseUrl: baseURL, allowInsecureHttp: allowInsecureHTTP, headers: {} },
    }
    if (reason === undefined)
      t.ok(
        openEndpoint(opened, () => undefined),
        'as the gateway has it',
      )
    else t.throws(() => openEndpoint(opened, () => undefined), { message: new RegExp(`: ${reason}$`) })
  }
})

t.test('so is the model that embeds questions', async (t) => {
  const models = Array.from({ length: 125 }, (_, model) => {
    const aliases = Array.from({ length: 16 }, (_unused, alias) => `m${model}-${alias}`)
    return `{ name: m${model}, aliases: [${aliases.join(', ')}], capabilities: [embeddings] }`
  })
  const provider = EMBEDDING_PROVIDER.replace('{ name: gpt-4o }', ['{ name: gpt-4o }', ...models].join(', '))
  const keyOf = (name: string, index: number) =>
    `apiVersion: tollgate.dev/v1alpha1
kind: VirtualKey
metadata: { name: k${index} }
spec: { policies: { cache: { semantic: { enabled: true, model: ${name} } } } }`
  const gone = Array.from({ length: 130 }, (_, index) => `gone-${'x'.repeat(20)}-${index}`)
  const keys = ['m1-1y', ...gone, 'm1-2y', 'm1-1y'].map(keyOf)
  const folder = t.testdir({ 'all.yaml': documentsOf({ Provider: provider }), 'keys.yaml': keys.join('\n---\n') })
  const said = check([folder]).lines.filter((line) => line.includes('capability embeddings named'))
  t.equal(said.length, 133)
  const hinted = said.filter((line) => line.includes('did you mean'))
  t.match(hinted, [/k0: .*named m1-1y, did you mean m1-1\?/, /k132: .*named m1-1y, did you mean m1-1\?/])
  t.equal(hinted.length, 2)
})

t.test('a star within a name is told of, as it stands for itself', async (t) => {
  const key = `metadata: { name: k }
spec: { policies: { excludeModels: ["gp*t", "*gpt*", "gpt*"] }, access: { providers: ["o*ai", "open*", "*"], models: ["gpt-*-mini"] } }`
  const folder = t.testdir({ 'all.yaml': documentsOf({ VirtualKey: key, Provider: EMBEDDING_PROVIDER }) })
  t.strictSame(namesIn(check([folder]).lines), [
    'spec.policies.excludeModels: no Provider has a model gp*t; a star stands for any rest at the end only',
    'spec.policies.excludeModels: no Provider has a model *gpt*; a star stands for any rest at the end only',
    'spec.access.providers: no Provider is named o*ai; a star stands for any rest at the end only',
    'spec.access.models: no Provider has a model gpt-*-mini; a star stands for any rest at the end only',
  ])
})

t.test(
  'a model of the semantic cache that nobody has, or that embeds nothing, is told of, and strictly taken a fault',
  async (t) => {
    const cache = (model: string) => `{ cache: { semantic: { enabled: true, model: ${model} } } }`
    const manifests = {
      Organization: `metadata: { name: default }
spec:
  grants: [{ name: all, namespaceSelector: {} }]
  defaults: ${cache('embed-smal')}
  projects: [{ name: a, defaults: ${cache('gpt-4o')} }, { name: b, defaults: ${cache('openai/embed-small')} }, { name: c, defaults: ${cache('auto')} }]`,
      VirtualKey: `metadata: { name: k }\nspec: { policies: ${cache('"embed*"')} }`,
      Provider: EMBEDDING_PROVIDER,
    }
    const folder = t.testdir({ 'all.yaml': documentsOf(manifests) })
    const nobody = 'no Provider has a model with the capability embeddings named'
    const { code, lines } = check([folder], undefined, true)
    t.equal(code, 1)
    t.strictSame(namesIn(lines), [
      `spec.defaults.cache.semantic.model: ${nobody} embed-smal, did you mean embed-small?`,
      `spec.projects[0].defaults.cache.semantic.model: ${nobody} gpt-4o`,
      `spec.policies.cache.semantic.model: ${nobody} embed*`,
    ])
  },
)

t.test('a semantic cache that can find nothing is told of', async (t) => {
  const on = 'semantic: { enabled: true }'
  const organization = (defaults: string) =>
    `metadata: { name: default }\nspec: { grants: [{ name: all, namespaceSelector: {} }], defaults: ${defaults} }`
  const said = (provider: string, policies: string, defaults = '{}') => {
    const VirtualKey = `metadata: { name: k }\nspec: { policies: { cache: ${policies} } }`
    const manifests = { Organization: organization(defaults), VirtualKey, Provider: provider }
    return namesIn(check([t.testdir({ 'all.yaml': documentsOf(manifests) })]).lines)
  }
  const noExact = 'semantic.enabled: needs the exact cache, which exact.enabled false switches off'
  const off = '{ cache: { exact: { enabled: false } } }'
  t.strictSame(said(EMBEDDING_PROVIDER, `{ ${on} }`), [])
  t.strictSame(said(EMBEDDING_PROVIDER, '{ exact: { enabled: false } }', `{ cache: { ${on} } }`), [], 'a key without')
  t.strictSame(said(EMBEDDING_PROVIDER, `{ ${on}, exact: { enabled: true } }`, off), [], 'the nearest wins')
  t.strictSame(said(EMBEDDING_PROVIDER, `{ ${on}, exact: { enabled: false } }`), [`spec.policies.cache.${noExact}`])
  t.strictSame(said(EMBEDDING_PROVIDER, `{ ${on} }`, off), [`spec.policies.cache.${noExact}`])
  t.strictSame(said(EMBEDDING_PROVIDER, '{}', `{ cache: { ${on}, exact: { enabled: false } } }`), [
    `spec.defaults.cache.${noExact}`,
  ])
  const nobody = 'spec.policies.cache.semantic.enabled: no Provider has a model with the capability embeddings'
  t.strictSame(said(EMBEDDING_PROVIDER.replace(', capabilities: [embeddings]', ''), `{ ${on} }`), [nobody])
  const gemini = EMBEDDING_PROVIDER.replace('OpenAICompatible', 'Gemini')
  t.strictSame(said(gemini, `{ ${on} }`), [
    `${nobody} and a type that is asked for them (OpenAI, AzureOpenAI, OpenAICompatible)`,
  ])
  t.strictSame(said(gemini, '{ semantic: { model: openai/embed-small } }'), [
    'spec.policies.cache.semantic.model: openai/embed-small is of a Provider of type Gemini; asked for embeddings are OpenAI, AzureOpenAI, OpenAICompatible only',
  ])
})

t.test('a key without a project has the cache of the one that a grant gives it', async (t) => {
  const key = (project: string) =>
    `metadata: { name: k }\nspec: { ${project}policies: { cache: { semantic: { enabled: true } } } }`
  const said = (grants: string, project = '', isOn = false) => {
    const Organization = `metadata: { name: default }
spec:
  grants: ${grants}
  defaults: { cache: { exact: { enabled: ${isOn} } } }
  projects:
    - { name: a, defaults: { cache: { exact: { enabled: true } } } }
    - { name: b }
    - { name: c, defaults: { cache: { exact: { enabled: false } } } }
    - { name: d, defaults: { cache: { exact: { ttl: 9s } } } }`
    const manifests = { Organization, VirtualKey: key(project), Provider: EMBEDDING_PROVIDER }
    return namesIn(check([t.testdir({ 'all.yaml': documentsOf(manifests) })]).lines)
  }
  const grant = (name: string, projects: string) => `{ name: ${name}, namespaceSelector: {}, projects: ${projects} }`
  const noExact = 'spec.policies.cache.semantic.enabled: needs the exact cache, which exact.enabled false switches off'
  t.strictSame(said(`[${grant('one', '[a]')}]`), [])
  t.strictSame(said(`[${grant('one', '[b]')}, ${grant('two', '[a]')}]`), [], 'what it may come to have counts')
  t.strictSame(said(`[${grant('one', '[b]')}]`), [noExact])
  t.strictSame(said(`[${grant('one', '[a]')}, ${grant('two', '[b]')}]`, 'project: b, '), [noExact])
  for (const other of ['[]', '[b]'])
    t.strictSame(said(`[${grant('one', '[c]')}, ${grant('two', other)}]`, '', true), [], `no project's own: ${other}`)
  t.strictSame(said(`[${grant('one', '[c]')}]`, '', true), [noExact])
  t.strictSame(
    said(`[${grant('one', '[d]')}, ${grant('two', '[a]')}]`),
    [],
    'its exact cache is off by its organization',
  )
})

t.test('the types that are asked for embeddings are those of one format', async (t) => {
  const asked = PROVIDER_FAMILIES.filter(({ format }) => format === 'chat-completions').map(({ type }) => type)
  t.strictSame(new Set(asked), new Set(EMBEDDING_TYPES))
})

t.test('a name of an organization or project in a list of access that nothing bears is told of', async (t) => {
  const access = '\n  access: { organizations: [acme, defualt, default] }'
  const organization = `metadata: { name: default }
spec:
  projects: [{ name: shop }]
  grants: [{ name: a, namespaceSelector: {}, projects: [shop, shp, nope] }, { name: b, namespaceSelector: {} }]`
  const ofOrganizations = [
    'spec.access.organizations: no Organization is named acme',
    'spec.access.organizations: no Organization is named defualt, did you mean default?',
  ]
  const said = (manifests: Readonly<Record<string, string>>) =>
    namesIn(check([t.testdir({ 'all.yaml': documentsOf(manifests) })], undefined, true).lines)
  const Provider = EMBEDDING_PROVIDER + access
  t.strictSame(said({ Provider, Organization: organization }), [
    'spec.grants[0].projects: the organization has no project shp, did you mean shop?',
    'spec.grants[0].projects: the organization has no project nope',
    ...ofOrganizations,
  ])
  t.strictSame(said({ Provider, VirtualKey: 'metadata: { name: k }\nspec: {}' }), ofOrganizations, 'one is implied')
  t.strictSame(said({ Provider }), [], 'they are declared elsewhere')
})

t.test('headers of a Provider that are not sent are told of', async (t) => {
  const headers = `{ Authorization: a, Host: b, content-length: "1", "x y": c, X-Team: d, X-Key: e, accept: f, x-o: "\\u2026", X-Fine: "\\u00e9" }`
  const provider = EMBEDDING_PROVIDER.replace(
    'credentials: { type: None }',
    'credentials: { type: Header, headerName: x-key, secretRef: { name: s } }',
  ).replace('v1" }', `v1", headers: ${headers} }`)
  const lines = namesIn(check([t.testdir({ 'a.yaml': documentsOf({ Provider: provider }) })], undefined, true).lines)
  const itself = 'the gateway sets it itself, where it is needed'
  const asKey = 'a key is sent as spec.credentials says, from a Secret'
  t.strictSame(lines, [
    `spec.endpoint.headers: "Authorization" is not sent: ${asKey}`,
    `spec.endpoint.headers: "Host" is not sent: ${itself}`,
    `spec.endpoint.headers: "content-length" is not sent: ${itself}`,
    'spec.endpoint.headers: "x y" is not sent: no header can have that name',
    `spec.endpoint.headers: "X-Key" is not sent: ${asKey}`,
    `spec.endpoint.headers: "accept" is not sent: ${itself}`,
    'spec.endpoint.headers: "x-o" is not sent: it has characters that no header can carry',
  ])
})

t.test('a key that begins with the word that its type adds is told of', async (t) => {
  const said = (credentials: string) => {
    const provider = EMBEDDING_PROVIDER.replace('{ type: None }', credentials)
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { apiKey: "Bearer sk-abc" }\n'
    const folder = t.testdir({ 'a.yaml': documentsOf({ Provider: provider }), 'b.yaml': secret })
    return namesIn(check([folder], undefined, true).lines)
  }
  t.strictSame(said('{ type: Bearer, secretRef: { name: s } }'), [
    'spec.credentials: entry apiKey of Secret s begins with Bearer, which type Bearer adds itself',
  ])
  t.strictSame(said('{ type: Header, headerName: Authorization, secretRef: { name: s } }'), [])
})

t.test('an address of a Provider to which its path would be added twice is told of', async (t) => {
  const said = (type: string, baseURL: string) => {
    const provider = EMBEDDING_PROVIDER.replace('OpenAICompatible', type).replace('https://api.example.com/v1', baseURL)
    return namesIn(check([t.testdir({ 'a.yaml': documentsOf({ Provider: provider }) })], undefined, true).lines)
  }
  const twice = (path: string) => [
    `spec.endpoint.baseURL: ends with ${path}, which the gateway adds itself and which then stands there twice`,
  ]
  const another = (path: string) => [
    `spec.endpoint.baseURL: ends with ${path}, and the gateway adds such a path itself, with the upstreamName of each model in it: both would stand there`,
  ]
  t.strictSame(said('OpenAICompatible', 'https://api.example.com/v1/chat/completions'), twice('/chat/completions'))
  t.strictSame(said('OpenAI', 'https://api.example.com/v1/embeddings/'), twice('/embeddings'))
  t.strictSame(said('AzureOpenAI', 'https://a.example.com/openai/v1/chat/completions'), twice('/chat/completions'))
  t.strictSame(said('Anthropic', 'https://api.example.com/v1'), twice('/v1'))
  t.strictSame(said('Anthropic', 'https://api.example.com/v1/messages'), twice('/v1/messages'))
  t.strictSame(said('Gemini', 'https://api.example.com/v1beta/'), twice('/v1beta'))
  const deployment = 'https://a.example.com/openai/deployments/gpt-4o'
  t.strictSame(said('AzureOpenAI', deployment), another('/deployments/gpt-4o'))
  t.strictSame(
    said('AzureOpenAI', `${deployment}/chat/completions?api-version=2024-10-21`),
    another('/deployments/gpt-4o/chat/completions'),
  )
  t.strictSame(said('Gemini', 'https://api.example.com/v1beta/models'), twice('/v1beta/models'))
  const call = '/v1beta/models/gemini-2.5-flash:generateContent'
  t.strictSame(said('Gemini', `https://api.example.com${call}`), another(call))
  t.strictSame(said('OpenAICompatible', 'https://api.example.com/v1'), [])
  t.strictSame(said('OpenAI', 'https://api.example.com/chat'), [])
  t.strictSame(said('Anthropic', 'https://api.example.com/anthropic'), [])
  t.strictSame(said('AzureOpenAI', 'https://a.example.com/openai'), [])
  t.strictSame(said('AzureOpenAI', 'https://a.example.com/openai/v1?api-version=preview'), [])
  t.strictSame(said('Gemini', 'https://api.example.com/v1'), [], 'it may be the path of a gateway')
  const omitted = EMBEDDING_PROVIDER.replace('OpenAICompatible', 'Anthropic').replace(/  endpoint.*\n/, '')
  t.strictSame(namesIn(check([t.testdir({ 'a.yaml': documentsOf({ Provider: omitted }) })], undefined, true).lines), [])
})

t.test('a burst without the rate that it belongs to is told of, and strictly taken a fault', async (t) => {
  const organization = `metadata: { name: acme }
spec:
  grants: [{ name: all, namespaceSelector: {} }]
  rateLimits: { burst: 5, maxConcurrent: 2 }
  projects:
    - { name: a, rateLimits: { burst: 5, requestsPerMinute: 10 } }
    - { name: b, rateLimits: { burst: 5, tokensPerMinute: 10 } }`
  const key = 'metadata: { name: k }\nspec: { organizationRef: { name: acme }, project: a, rateLimits: { burst: 5 } }'
  const manifests = { Organization: organization, Provider: EMBEDDING_PROVIDER, VirtualKey: key }
  const folder = t.testdir({ 'a.yaml': documentsOf(manifests) })
  const { code, lines } = check([folder], undefined, true)
  t.equal(code, 1)
  t.strictSame(namesIn(lines), [
    'spec.rateLimits.burst: limits nothing without requestsPerMinute beside it',
    'spec.projects[1].rateLimits.burst: limits nothing without requestsPerMinute beside it',
    'spec.rateLimits.burst: limits nothing without requestsPerMinute beside it',
  ])
})

t.test('a clock that is longer than the one over all is told of, where somebody has written it', async (t) => {
  const said = (timeouts: string) => {
    const provider = EMBEDDING_PROVIDER.replace('spec:', `spec:\n  timeouts: ${timeouts}`)
    return namesIn(check([t.testdir({ 'a.yaml': documentsOf({ Provider: provider }) })]).lines)
  }
  const never = (name: string, total: string) =>
    `spec.timeouts.${name} is never reached: spec.timeouts.total ends an attempt after ${total}`
  t.strictSame(said('{ firstByte: 20m, total: 1m }'), [never('firstByte: 20m', '1m')])
  t.strictSame(said('{ connect: 11m, firstByte: 601s, streamIdle: 1h }'), [
    never('connect: 11m', '10m'),
    never('firstByte: 601s', '10m'),
    never('streamIdle: 1h', '10m'),
  ])
  for (const good of ['{ total: 1s }', '{ firstByte: 10m }', '{ firstByte: 60s, total: 1m }', '{}'])
    t.strictSame(said(good), [], good)
})

t.test('a model without a price that a budget keeps every key, or one that lists it, from is told of', async (t) => {
  const provider = (models: string) => EMBEDDING_PROVIDER.replace(/models: .*/, `models: [${models}]`)
  const priced = '{ name: gpt, pricing: { input: "1", output: "1" } }'
  const key = (name: string, spec: string) =>
    documentsOf({ VirtualKey: `metadata: { name: ${name} }\nspec: { ${spec} }` })
  const said = (models: string, keys: readonly string[], organization = '') => {
    const grants = organization === '' ? 'grants: [{ name: all, namespaceSelector: {} }]' : organization
    const own = { Organization: `metadata: { name: default }\nspec:\n  ${grants}`, Provider: provider(models) }
    const folder = t.testdir({ 'a.yaml': [documentsOf(own), ...keys].join('---\n') })
    return check([folder], undefined, true).lines.filter((line) => line.includes('pricing'))
  }
  const budget = 'budgets: [{ window: Day, limitUSD: "1" }]'
  const never =
    /: Provider openai: spec\.models\[1\]: local has no pricing, .* every key that may use it: it is not used/
  const both = `${priced}, { name: local, aliases: [own] }`
  t.match(said(both, [key('a', budget)]), [never])
  t.match(said(both, [key('a', `${budget}, access: { models: [local] }`), key('b', 'access: { models: [gpt] }')]), [
    never,
  ])
  const ofGrant = 'grants: [{ name: all, namespaceSelector: {}, maxBudgetUSDPerMonthPerKey: "5" }]'
  t.match(said(both, [key('a', '')], ofGrant), [never], 'a ceiling is a budget')
  const ofProject = `grants: [{ name: all, namespaceSelector: {} }]\n  projects: [{ name: p, ${budget} }]`
  t.match(said(both, [key('a', 'project: p')], ofProject), [never])

  const free = key('b', '')
  t.match(said(both, [key('a', `${budget}, access: { models: [gpt, own, "loc*"] }`), free]), [
    /:\d+: VirtualKey default\/a: spec\.access\.models: own has no pricing, .* applies to the key: it is not used/,
  ])
  t.match(said(both, [key('a', `${budget}, access: { models: [local] }`), free]), [
    /VirtualKey default\/a: spec: a blocking budget applies, .* every call is refused as unpriced_model/,
  ])

  const warns = 'budgets: [{ window: Day, limitUSD: "1", onExceed: Warn }]'
  for (const [models, keys] of [
    [both, [key('a', budget), free]],
    [both, [key('a', warns)]],
    [both, [key('a', 'tokenQuotas: [{ window: Day, limit: 1 }]')]],
    [both, [key('a', `${budget}, access: { models: [gpt] }`)]],
    [both, []],
    [`${priced}, { name: local, enabled: false }`, [key('a', budget)]],
    [`${priced}, { name: local, pricing: { input: "0", output: "0" } }`, [key('a', budget)]],
  ] as const)
    t.strictSame(said(models, keys), [], JSON.stringify([models, keys]))
})

t.test('what only a cluster does is noted, and no fault even strictly taken: the files may be for one', async (t) => {
  const said = (spec: string) => {
    const manifests = { Provider: EMBEDDING_PROVIDER, VirtualKey: `metadata: { name: k }\nspec: { ${spec} }` }
    return check([t.testdir({ 'a.yaml': documentsOf(manifests) })], undefined, true)
  }
  const rotation = 'key: { source: Generated, generated: { rotation: { interval: 24h } } }'
  const { code, lines } = said(`access: { serviceAccounts: [shop] }, ${rotation}`)
  t.equal(code, 0)
  t.match(lines, [
    /^note: .*:\d+: VirtualKey default\/k: spec\.access\.serviceAccounts: holds in a cluster only/,
    /^note: .*:\d+: VirtualKey default\/k: spec\.key\.generated\.rotation: is done in a cluster only/,
    /^ok: /,
  ])
  t.match(said('access: { serviceAccounts: [] }').lines, [/^ok: /])
})

t.test(
  'an organization with providers and without any key is noted, and a part of a configuration is not',
  async (t) => {
    const parts = { Organization: 'metadata: { name: default }\nspec: {}', Provider: EMBEDDING_PROVIDER }
    const note = 'note: no VirtualKey is declared here: a gateway that reads nothing else answers every call with 401'
    const { code, lines } = check([t.testdir({ 'a.yaml': documentsOf(parts) })])
    t.equal(code, 0)
    t.match(lines, [note, /^ok: /])
    const provider = check([t.testdir({ 'a.yaml': documentsOf({ Provider: EMBEDDING_PROVIDER }) })])
    t.match(provider.lines, [/^ok: /])
  },
)

t.test('codes that are taken for a country are told of, but for uk, which is the same as gb', async (t) => {
  const organization = `metadata: { name: default }
spec:
  grants: [{ name: all, namespaceSelector: {} }]
  defaults: { excludeCountries: [uk] }
  compliance: { deniedCountries: [el, gb] }
  projects: [{ name: a, defaults: { excludeCountries: [uk] } }]`
  const manifests = {
    Organization: organization,
    Provider: EMBEDDING_PROVIDER.replace('[it]', '[uk]').replace('name: gpt-4o', 'name: gpt-4o, countries: [el]'),
    VirtualKey: 'metadata: { name: k }\nspec: { policies: { excludeCountries: [uk, us, en] } }',
  }
  t.strictSame(namesIn(check([t.testdir({ 'a.yaml': documentsOf(manifests) })]).lines), [
    "spec.compliance.deniedCountries: el is no country's code of ISO 3166; Greece is gr",
    "spec.models[0].countries: el is no country's code of ISO 3166; Greece is gr",
    "spec.policies.excludeCountries: en is no country's code of ISO 3166",
  ])
})

t.test('a model that is listed with its provider before it is told of as that', async (t) => {
  const provider = EMBEDDING_PROVIDER.replace('{ name: gpt-4o }', '{ name: gpt-4o }, { name: meta/llama-3 }')
  const models = '[openai/gpt-4o, openai/nope, "openai/*", meta/llama-3, "meta/*", "other/*", gpt-4o]'
  const key = `metadata: { name: k }\nspec: { access: { models: ${models} } }`
  const folder = t.testdir({ 'a.yaml': documentsOf({ Provider: provider, VirtualKey: key }) })
  t.strictSame(namesIn(check([folder]).lines), [
    'spec.access.models: openai/gpt-4o is written without its provider here: gpt-4o',
    'spec.access.models: no Provider has a model openai/nope',
    'spec.access.models: openai/*: models are written without their provider here, *; providers stand in spec.access.providers',
  ])
})

t.test('a reference to a Secret that leads nowhere is told where it may have been meant to lead', async (t) => {
  const secret = (name: string, entries: string, namespace = 'default') =>
    `apiVersion: v1\nkind: Secret\nmetadata: { name: ${name}, namespace: ${namespace} }\nstringData: ${entries}\n`
  const provider = (name: string) =>
    EMBEDDING_PROVIDER.replace('name: openai', `name: ${name}`).replace(
      'None }',
      `Bearer, secretRef: { name: ${name} } }`,
    )
  const said = (name: string, ...secrets: readonly string[]) => {
    const folder = t.testdir({ 'a.yaml': [documentsOf({ Provider: provider(name) }), ...secrets].join('---\n') })
    return check([folder]).lines.find((line) => line.includes('Secret'))
  }
  t.match(
    said('one', secret('one', '{ API_KEY: x, b: x }')),
    /SecretKeyMissing: .* no entry apiKey: it has API_KEY, b$/,
  )
  t.match(said('one', secret('one', '{}')), /no entry apiKey: it has none$/)
  t.match(said('one', secret('one', '{ a: x, b: x, c: x, d: x, e: x, f: x }')), /it has a, b, c, d, e, and 1 more$/)
  const other = secret('openais', '{}', 'other')
  t.match(said('opnais', secret('openai', '{}', 'tollgate-system'), other), /or default, did you mean openai\?$/)
  t.match(said('opnai', other), /in namespace tollgate-system or default$/, 'what is elsewhere would not be found')
})

t.test(
  'a variable that is written as a literal is told what it lacks, and is not said to stand elsewhere',
  async (t) => {
    const provider = EMBEDDING_PROVIDER.replace('None }', 'Bearer, secretRef: { name: one } }')
    const secret = `apiVersion: v1\nkind: Secret\nmetadata: { name: one }\nstringData: { apiKey: '$\${LITERAL}' }\n`
    const folder = t.testdir({ 'a.yaml': [documentsOf({ Provider: provider }), secret].join('---\n') })
    const { lines } = check([folder], undefined, false, { LITERAL: 'good-key' })
    t.match(
      lines[0],
      /UnfitCredential: .* is a variable as it stands, .* of standalone's files, where one \$ stands before \{$/,
    )
  },
)

t.test('a placeholder that the environment holds is told as one of the file is, without what it holds', async (t) => {
  const secret = (entry: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata: { name: one }\nstringData: { apiKey: '${entry}' }\n`
  const provider = EMBEDDING_PROVIDER.replace('None }', 'Bearer, secretRef: { name: one } }')
  const said = (held: string, entry = '${VENDOR_KEY}') => {
    const folder = t.testdir({ 'a.yaml': [documentsOf({ Provider: provider }), secret(entry)].join('---\n') })
    return check([folder], undefined, true, { VENDOR_KEY: held })
  }
  const why = /no entry apiKey: environment variable VENDOR_KEY holds /
  for (const held of [
    '<your-key>',
    'sk-...',
    '{{ secret-name }}',
    '$OTHER_KEY',
    '${OTHER:-x}',
    '${OTHER}',
    'Bearer ${OTHER}\n',
  ]) {
    const { code, lines } = said(held)
    t.equal(code, 1, held)
    const line = lines.find((one) => why.test(one)) ?? ''
    t.match(line, /holds a placeholder, not a key$/, held)
    t.notOk(line.includes(held))
  }
  t.ok(said('"sk-proj-abc"').lines.some((line) => line.endsWith('holds a key in quotes, which would be part of it')))
  t.ok(said('<key>', 'Bearer ${VENDOR_KEY}').lines.some((line) => why.test(line)))
  for (const { code, lines } of [said('', '$NAME'), said('$hunter_22')]) {
    t.equal(code, 1)
    t.ok(lines.some((line) => /no entry apiKey: .*taken for a variable of a shell.*written under data$/.test(line)))
    t.notOk(
      lines.some((line) => /\$NAME\b|hunter/.test(line)),
      'it may be a key',
    )
  }
  t.notOk(said('good-key').lines.some((line) => line.includes('apiKey')))
})

t.test('a kind of Kubernetes under our group is told its own', async (t) => {
  for (const kind of ['Secret', 'Namespace']) {
    const text = `apiVersion: tollgate.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: a }\n`
    const { code, lines } = check([t.testdir({ 'a.yaml': text })])
    t.match({ code, lines }, { code: 1, lines: [new RegExp(`${kind} a: apiVersion: ${kind} is v1; allowed: v1$`)] })
  }
})

t.test('bad manifests give exit code 1 and their problems', async (t) => {
  const path = new URL('../fixtures/manifests/invalid/provider-model-auto.yaml', import.meta.url).pathname
  const { code, lines } = check([path])
  t.equal(code, 1)
  t.match(lines, [/provider-model-auto\.yaml:10: document 1 Provider case: spec\.models\[0\]: 'auto' is reserved$/])
})
