/** Reads every import in src/ and fails on an arrow that the table does not allow. The table is the architecture. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'

const SRC = join(import.meta.dirname, '..', 'src')

/** What a folder may import beside itself. The longest matching prefix of a file's path decides; `*` allows anything. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'domain/json.ts': [],
  'domain/json-grammar.ts': [],
  'domain/json-text.ts': [],
  'domain/json-value.ts': ['domain/json.ts', 'domain/json-text.ts'],
  'domain/json-parse.ts': ['domain/json.ts', 'domain/json-grammar.ts', 'domain/json-text.ts', 'domain/json-value.ts'],
  'domain/linked-list.ts': [],
  'domain/logins.ts': [],
  'domain/nearest-name.ts': [],
  'domain/remembered.ts': [],
  'domain/steps.ts': [],
  'domain/secret.ts': [],
  'domain/printable.ts': [],
  'domain/unknown-authority.ts': [],
  'domain/country-codes.ts': [],
  'domain/errors.ts': ['domain/printable.ts'],
  'domain/completion': ['domain/json.ts'],
  'domain/formats': [
    'domain/completion',
    'domain/errors.ts',
    'domain/nearest-name.ts',
    'domain/json.ts',
    'domain/json-grammar.ts',
    'domain/json-parse.ts',
    'domain/json-text.ts',
    'domain/json-value.ts',
  ],
  'domain/snapshot': [
    'domain/errors.ts',
    'domain/json.ts',
    'domain/quota/money.ts',
    'domain/remembered.ts',
    'domain/steps.ts',
  ],
  'domain/policy': ['domain/snapshot', 'domain/errors.ts', 'domain/quota/money.ts'],
  'domain/control': [
    'domain/policy',
    'domain/snapshot',
    'domain/country-codes.ts',
    'domain/errors.ts',
    'domain/quota/money.ts',
  ],
  'domain/guardrails': [
    'domain/completion',
    'domain/formats/format.ts',
    'domain/snapshot',
    'domain/errors.ts',
    'domain/json.ts',
    'domain/json-value.ts',
    'domain/steps.ts',
  ],
  'domain/routing': [
    'domain/policy',
    'domain/snapshot',
    'domain/country-codes.ts',
    'domain/errors.ts',
    'domain/quota/money.ts',
  ],
  'domain/caching': [
    'domain/completion',
    'domain/policy',
    'domain/snapshot',
    'domain/errors.ts',
    'domain/json.ts',
    'domain/json-parse.ts',
  ],
  'domain/quota': ['domain/completion', 'domain/policy', 'domain/snapshot', 'domain/errors.ts', 'domain/json.ts'],
  'domain/audit': [
    'domain/completion',
    'domain/policy',
    'domain/quota',
    'domain/routing',
    'domain/snapshot',
    'domain/errors.ts',
    'domain/json.ts',
  ],
  'domain/resources': [
    'domain/snapshot',
    'domain/quota/money.ts',
    'domain/errors.ts',
    'domain/secret.ts',
    'domain/json.ts',
    'domain/remembered.ts',
    'domain/steps.ts',
  ],
  manifests: [
    'domain/resources',
    'domain/snapshot',
    'domain/quota/limits.ts',
    'domain/quota/unpriced.ts',
    'domain/routing/access.ts',
    'domain/routing/names.ts',
    'domain/country-codes.ts',
    'domain/errors.ts',
    'domain/logins.ts',
    'domain/nearest-name.ts',
    'domain/secret.ts',
    'domain/json.ts',
    'domain/steps.ts',
  ],
  proto: [],
  crypto: ['domain/secret.ts'],
  'demo-provider': ['domain/json.ts', 'domain/formats/sse.ts'],
  'proxy/busy-poll.ts': ['domain'],
  'proxy/server': [
    'domain',
    'proxy/adapters',
    'proxy/pipeline',
    'proxy/telemetry',
    'proxy/config',
    'proxy/busy-poll.ts',
  ],
  'proxy/adapters': [
    'domain/formats',
    'domain/completion',
    'domain/errors.ts',
    'domain/json.ts',
    'domain/nearest-name.ts',
    'domain/snapshot',
    'proxy/pipeline',
  ],
  'proxy/pipeline': [
    'domain',
    'crypto/hmac.ts',
    'proxy/adapters',
    'proxy/providers/registry.ts',
    'proxy/providers/provider-family.ts',
  ],
  'proxy/providers': [
    'domain',
    'proxy/pipeline/ports.ts',
    'proxy/pipeline/pull.ts',
    'proxy/pipeline/cohort.ts',
    'proxy/busy-poll.ts',
  ],
  'proxy/stores': [
    'domain',
    'crypto',
    'proxy/pipeline/ports.ts',
    'proxy/pipeline/quota-port.ts',
    'proxy/pipeline/cache-port.ts',
    'proxy/busy-poll.ts',
  ],
  'proxy/guardrails': ['domain', 'crypto/hmac.ts', 'proxy/pipeline/ports.ts'],
  'proxy/config': ['domain', 'proxy/pipeline/ports.ts', 'proto', 'crypto'],
  'proxy/telemetry': ['domain', 'proxy/pipeline'],
  'operator/render': ['domain/snapshot', 'domain/resources'],
  operator: [
    'domain/resources',
    'domain/snapshot',
    'domain/errors.ts',
    'domain/json.ts',
    'domain/remembered.ts',
    'domain/secret.ts',
    'domain/quota',
    'manifests',
    'proto',
    'crypto',
  ],
}

/** npm packages by the folders that may use them; a folder that is not listed uses none. `node:` is allowed outside domain/. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'proxy/server': ['fastify', 'fastify-plugin'],
  'proxy/providers': ['undici'],
  'proxy/stores': ['@redis/client', 'lru-cache'],
  'proxy/guardrails': ['re2js', 'ajv', 'ajv-formats', 'lru-cache'],
  'proxy/config': ['@grpc/grpc-js'],
  'proxy/telemetry': ['pino', 'prom-client'],
  manifests: ['yaml', 'ajv', 'ajv-formats', '@marcbachmann/cel-js'],
  proto: ['@grpc/grpc-js', 'protobufjs'],
  operator: ['@grpc/grpc-js', 'undici', 'yaml', '@redis/client', 'prom-client', 'pino'],
  'operator/certificates': ['@peculiar/x509', 'reflect-metadata'],
}

interface Import {
  readonly file: string
  /** Path inside src/, or the package's name. */
  readonly target: string
  readonly kind: 'source' | 'package' | 'node'
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const imports = files.flatMap(importsOf)

t.test('the imports are found', async (t) => {
  t.ok(imports.length > files.length, `${imports.length} imports in ${files.length} files`)
})

t.test('every import follows the table of folders', async (t) => {
  const broken = imports.filter(({ file, target, kind }) => kind === 'source' && !mayImport(file, target))
  t.strictSame(broken.map(show), [])
})

t.test('domain imports neither node modules nor packages', async (t) => {
  const broken = imports.filter(({ file, kind }) => file.startsWith('domain/') && kind !== 'source')
  t.strictSame(broken.map(show), [])
})

t.test('packages are used only where the table says', async (t) => {
  const broken = imports.filter(
    ({ file, target, kind }) =>
      kind === 'package' && !isEntry(file) && !(longest(PACKAGES, file) ?? []).includes(target),
  )
  t.strictSame(broken.map(show), [])
})

t.test('domain takes time and randomness as arguments', async (t) => {
  const impure = files
    .filter((file) => file.startsWith('domain/'))
    .filter((file) => /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|crypto\.)/.test(code(file)))
  t.strictSame(impure, [])
})

t.test('only the entries touch the process', async (t) => {
  const users = files.filter(
    (file) =>
      !isEntry(file) &&
      !file.startsWith('demo-provider/') &&
      /\bprocess\.(?!nextTick|hrtime|memoryUsage|cpuUsage)/.test(code(file)),
  )
  t.strictSame(users, [])
})

t.test(
  'no list becomes the arguments of a push: 120,000 items overflow the stack, and anybody can send them',
  async (t) => {
    const spreading = files.filter((file) => /\.(push|unshift)\(([^(){'\n]*, )?\.\.\.[^{]/.test(code(file)))
    t.strictSame(spreading, [])
  },
)

t.test('there are no barrel files', async (t) => {
  t.strictSame(
    files.filter((file) => /(^|\/)index\.ts$/.test(file)),
    [],
  )
})

t.test('folders of the table exist and hold every file', async (t) => {
  const homeless = files.filter((file) => !isEntry(file) && longest(ALLOWED, file) === undefined)
  t.strictSame(homeless, [])
})

function importsOf(file: string): Import[] {
  const found = code(file).matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'"\n]*?(?:\n[^'"]*?)?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
  )
  return [...found].map((match) => describe(file, match[1] ?? match[2] ?? match[3] ?? ''))
}

function describe(file: string, specifier: string): Import {
  if (specifier.startsWith('node:')) return { file, target: specifier, kind: 'node' }
  if (!specifier.startsWith('.')) {
    const [scope = '', name = ''] = specifier.split('/')
    return { file, target: scope.startsWith('@') ? `${scope}/${name}` : scope, kind: 'package' }
  }
  return { file, target: relative(SRC, join(SRC, dirname(file), specifier)), kind: 'source' }
}

function mayImport(file: string, target: string): boolean {
  if (isEntry(file)) return true
  const home = longestKey(ALLOWED, file)
  if (home === undefined || isUnder(target, home)) return home !== undefined
  return (ALLOWED[home] ?? []).some((allowed) => isUnder(target, allowed))
}

function isEntry(file: string): boolean {
  return !file.includes('/')
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

function longestKey(table: Readonly<Record<string, unknown>>, file: string): string | undefined {
  return Object.keys(table)
    .filter((prefix) => isUnder(file, prefix))
    .toSorted((a, b) => b.length - a.length)[0]
}

function longest<Value>(table: Readonly<Record<string, Value>>, file: string): Value | undefined {
  const key = longestKey(table, file)
  return key === undefined ? undefined : table[key]
}

/** The source without comments. */
function code(file: string): string {
  return readFileSync(join(SRC, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/[^\n]*/g, '$1')
}

function show({ file, target }: Import): string {
  return `${file} -> ${target}`
}
