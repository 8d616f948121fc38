import t from 'tap'
import { openEndpoint } from '../../../src/proxy/providers/endpoint.ts'
import { guardedLookup } from '../../../src/proxy/providers/address-guard.ts'
import { AttemptError } from '../../../src/proxy/pipeline/ports.ts'
import type { ProviderEndpoint, ProviderEntry } from '../../../src/domain/snapshot/snapshot.ts'
import { provider } from '../../domain/routing/samples.ts'

function open(baseUrl: string | undefined, allowInsecureHttp = false, fields: Partial<ProviderEntry> = {}) {
  const endpoint: ProviderEndpoint = { allowInsecureHttp, headers: {}, ...(baseUrl === undefined ? {} : { baseUrl }) }
  return openEndpoint(provider('one', [], { endpoint, ...fields }), () => undefined)
}

const chat = { upstreamName: 'm', operation: 'chat', stream: false } as const

t.test('gives origin and path of a base URL, without its fragment', async (t) => {
  const endpoint = open('https://api.test:8443/base/v1/?a=1#frag')
  t.equal(endpoint.origin, 'https://api.test:8443')
  t.equal(endpoint.pathOf(chat), '/base/v1/chat/completions?a=1')
  t.equal(endpoint.pathOf(chat), '/base/v1/chat/completions?a=1', 'also the second time')
})

t.test('takes the default of the family', async (t) => {
  t.equal(open(undefined, false, { type: 'Anthropic' }).origin, 'https://api.anthropic.com')
})

t.test('checks health where the family says, or at the path of the manifest from the host', async (t) => {
  t.equal(open('https://api.test/v1').healthPath(), '/v1/models')
  const base = provider('one', []).healthCheck
  t.equal(
    open('https://api.test/v1', false, { healthCheck: { ...base, path: 'health?x=1' } }).healthPath(),
    '/health?x=1',
  )
})

function refusalOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    return error instanceof AttemptError ? error.kind : String(error)
  }
  return 'taken'
}

const REFUSED: readonly [string, string | undefined, boolean][] = [
  ['no base URL', undefined, false],
  ['no URL', 'api.test/v1', false],
  ['another scheme', 'ftp://api.test', true],
  ['a file', 'file:///etc/passwd', true],
  ['a login', 'https://user:pass@api.test', false],
  ['plain http', 'http://api.test', false],
  ['loopback', 'https://127.0.0.1', false],
  ['loopback by name', 'https://localhost', false],
  ['loopback by a name below', 'https://x.localhost.', false],
  ['loopback in one number', 'https://2130706433', false],
  ['loopback as IPv6', 'https://[::1]', false],
  ['loopback mapped', 'https://[::ffff:127.0.0.1]', false],
  ['metadata', 'http://169.254.169.254/latest', true],
  ['metadata in one number', 'http://2852039166', true],
  ['metadata in hexadecimal', 'http://0xa9.0xfe.0xa9.0xfe', true],
  ['metadata in octal', 'http://0251.0376.0251.0376', true],
  ['metadata in short form', 'http://169.254.43518', true],
  ['metadata in full-width digits', 'http://１６９.254.169.254', true],
  ['metadata mapped', 'http://[::ffff:169.254.169.254]', true],
  ['metadata mapped in hexadecimal', 'http://[::ffff:a9fe:a9fe]', true],
  ['metadata by NAT64', 'http://[64:ff9b::a9fe:a9fe]', true],
  ['metadata of AWS as IPv6', 'http://[fd00:ec2::254]', true],
  ['link-local IPv6', 'http://[fe80::1]', true],
  ['this host', 'http://0.0.0.0', true],
  ['this host in short', 'http://0', true],
  ['this host as IPv6', 'http://[::]', true],
  ['multicast', 'http://224.0.0.1', true],
  ['broadcast', 'http://255.255.255.255', true],
]

for (const [name, baseUrl, insecure] of REFUSED) {
  t.test(`refuses ${name}`, async (t) => {
    t.equal(
      refusalOf(() => open(baseUrl, insecure)),
      'refused-address',
    )
  })
}

t.test('a refusal names what lets the address through, where anything does', async (t) => {
  const cure = /; endpoint\.allowInsecureHTTP lets it through$/
  for (const base of ['http://api.test', 'https://127.0.0.1', 'https://localhost', 'http://[::1]'])
    t.throws(() => open(base, false), { message: cure }, base)
  for (const base of ['http://169.254.169.254', 'https://169.254.169.254', 'ftp://api.test'])
    t.throws(() => open(base, false), { message: /^[^;]*$/ }, base)
})

t.test('takes loopback and plain http where the manifest allows them, and private networks', async (t) => {
  for (const base of ['http://127.0.0.1:11434/v1', 'http://localhost:8000', 'http://[::1]:1'])
    t.ok(open(base, true).origin)
  for (const base of ['https://10.1.2.3', 'https://192.168.1.1', 'https://[fd12::1]']) t.ok(open(base).origin)
})

t.test('a changed connection has another pool, a changed model the same', async (t) => {
  const one = open('https://api.test/v1').poolKey
  t.equal(open('https://api.test/v2').poolKey, one)
  t.not(open('https://api.test/v1', true).poolKey, one)
  t.not(open('https://other.test/v1').poolKey, one)
  const timeouts = { ...provider('one', []).timeouts, connectMs: 1 }
  t.not(open('https://api.test/v1', false, { timeouts }).poolKey, one)
})

t.test('a name that resolves to a refused address gives an error instead of the address', async (t) => {
  const answer = (allowLoopback: boolean, all: boolean) =>
    new Promise((resolve) => {
      guardedLookup(allowLoopback)('localhost', { all }, (error, address) => resolve(error ?? address))
    })
  t.match(await answer(false, true), { kind: 'refused-address' })
  t.match(await answer(false, false), { kind: 'refused-address' })
  t.match(await answer(true, false), /^(127\.0\.0\.1|::1)$/)
  t.ok(Array.isArray(await answer(true, true)))
})
