import t from 'tap'
import { GatewayError } from '../../../src/domain/errors.ts'
import type { VirtualKeyEntry } from '../../../src/domain/snapshot/snapshot.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { ADAPTERS } from '../../../src/proxy/adapters/registry.ts'
import { createConfiguration, deriveSecrets } from '../../../src/proxy/config/configuration.ts'
import { authenticate, type Presented } from '../../../src/proxy/pipeline/authenticate.ts'
import type { Incoming } from '../../../src/proxy/pipeline/exchange.ts'
import { keyEntry, organizationEntry, providerEntry, snapshotOf } from '../../helpers/snapshots.ts'

const KEY = 'the-virtual-key-of-the-tests-0123456789'
const secrets = deriveSecrets(new Secret('ab'.repeat(32)))
const BOUND_KEY = 'a-key-of-two-adapters-0123456789abcdefgh'
const bound = keyEntry('team/bound', { digest: secrets.digestOf(BOUND_KEY) })
const BOUND: VirtualKeyEntry = { ...bound, access: { ...bound.access, adapters: ['OpenAI', 'Gemini'] } }
const SUSPENDED_KEY = 'a-suspended-key-0123456789abcdefghijklmn'
const SUSPENDED = { ...keyEntry('team/suspended', { digest: secrets.digestOf(SUSPENDED_KEY) }), suspended: true }
const EXPIRED_KEY = 'an-expired-key-0123456789abcdefghijklmnop'
const EXPIRED = { ...keyEntry('team/expired', { digest: secrets.digestOf(EXPIRED_KEY) }), expiresAtMs: 0 }
const CONFIGURATION = createConfiguration(
  snapshotOf({
    providers: [providerEntry('p')],
    organizations: [organizationEntry('acme')],
    virtualKeys: [keyEntry('team/app', { digest: secrets.digestOf(KEY) }), BOUND, SUSPENDED, EXPIRED],
  }),
  new Map(),
  secrets,
)

/** The key's id, or the code of the refusal. */
function callerOf(label: string, rawHeaders: readonly string[], query = ''): string {
  const caller = callerOrRefusal(label, rawHeaders, query)
  return caller instanceof GatewayError ? caller.code : caller
}

function callerOrRefusal(label: string, rawHeaders: readonly string[], query = ''): string | GatewayError {
  try {
    return authenticate(presented(label, rawHeaders, query), CONFIGURATION, 0).key.id
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

function presented(label: string, rawHeaders: readonly string[], query = ''): Presented {
  const adapter = ADAPTERS.find((candidate) => candidate.label === label)
  if (adapter === undefined) throw new Error(`no adapter ${label}`)
  const incoming: Incoming = {
    adapter,
    requestId: 'r',
    receivedAtMs: 0,
    dateMs: 0,
    rawHeaders,
    query,
    hints: {},
    readBody: () => Promise.reject(new Error('the body is not read')),
    signal: new AbortController().signal,
    letGo: () => undefined,
  }
  return { incoming, virtualKey: undefined }
}

t.test('a key is taken from where its adapter takes one, in any case and with blanks around it', async (t) => {
  t.equal(callerOf('native', ['Host', 'h', 'Authorization', `Bearer ${KEY}`]), 'team/app')
  t.equal(callerOf('native', ['AUTHORIZATION', `bearer \t ${KEY}  `]), 'team/app')
  t.equal(callerOf('anthropic', ['X-Api-Key', ` ${KEY}\t`]), 'team/app')
  t.equal(callerOf('gemini', ['x-goog-api-key', KEY]), 'team/app')
  t.equal(callerOf('gemini', [], `alt=sse&key=${KEY}`), 'team/app')
})

t.test('the same key in several places is one key', async (t) => {
  const bearer = ['authorization', `Bearer ${KEY}`]
  t.equal(callerOf('native', [...bearer, ...bearer]), 'team/app')
  t.equal(callerOf('anthropic', [...bearer, 'x-api-key', KEY]), 'team/app')
  t.equal(callerOf('gemini', ['x-goog-api-key', KEY, ...bearer], `key=${KEY}&key=${KEY}`), 'team/app')
})

t.test(
  'a field without a key, as SDKs send it where its variable is empty, does not contradict the other',
  async (t) => {
    const bearer = ['authorization', `Bearer ${KEY}`]
    t.equal(callerOf('anthropic', ['x-api-key', '', ...bearer]), 'team/app')
    t.equal(callerOf('anthropic', [...bearer, 'x-api-key', ' ']), 'team/app')
    t.equal(callerOf('anthropic', ['authorization', 'Bearer ', 'x-api-key', KEY]), 'team/app')
    t.equal(callerOf('gemini', ['authorization', '', 'x-goog-api-key', KEY]), 'team/app')
    t.equal(callerOf('gemini', bearer, 'key='), 'team/app')
    t.equal(callerOf('gemini', [], `key=&key=${KEY}&key=`), 'team/app')
    t.equal(callerOf('gemini', [], 'key='), 'invalid_api_key')
    t.equal(callerOf('anthropic', ['x-api-key', '', 'authorization', 'Bearer']), 'invalid_api_key')
    t.equal(callerOf('anthropic', ['x-api-key', KEY, 'authorization', 'Basic']), 'invalid_api_key')
  },
)

t.test('two different keys are none, whichever comes first', async (t) => {
  const own = ['authorization', `Bearer ${KEY}`]
  const other = ['authorization', 'Bearer another']
  for (const headers of [
    [...own, ...other],
    [...other, ...own],
    [...own, 'Authorization', 'Basic dTpw'],
  ]) {
    t.equal(callerOf('native', headers), 'invalid_api_key')
  }
  t.equal(callerOf('anthropic', [...own, 'x-api-key', 'another']), 'invalid_api_key')
  t.equal(callerOf('gemini', own, 'key=another'), 'invalid_api_key')
})

t.test('no key, another scheme, a key in the wrong place and one too long are refused alike', async (t) => {
  const refused: readonly (readonly string[])[] = [
    [],
    ['authorization', ''],
    ['authorization', KEY],
    ['authorization', `Basic ${KEY}`],
    ['authorization', 'Bearer '],
    ['authorization', `Bearer ${KEY} x`],
    ['authorization', `Bearer ${KEY.repeat(40)}`],
    ['x-authorization', `Bearer ${KEY}`],
    ['x-api-key', KEY],
  ]
  for (const headers of refused)
    t.equal(callerOf('native', headers), 'invalid_api_key', headers.join(': ').slice(0, 60))
  t.equal(callerOf('native', [], `key=${KEY}`), 'invalid_api_key')
})

t.test('a refusal says everywhere the adapter looks for a key, and the same whatever came', async (t) => {
  const places = {
    native: '"Authorization: Bearer KEY"',
    openai: '"Authorization: Bearer KEY"',
    anthropic: '"Authorization: Bearer KEY" or "x-api-key: KEY"',
    gemini: '"Authorization: Bearer KEY" or "x-goog-api-key: KEY" or "?key=KEY"',
  }
  for (const [label, place] of Object.entries(places)) {
    const message = `The virtual key is missing or not valid, or two different ones were sent. It is read from ${place}.`
    for (const headers of [[], ['authorization', KEY], ['authorization', 'Bearer another']])
      t.match(callerOrRefusal(label, headers), { code: 'invalid_api_key', message }, label)
  }
})

t.test('a key that may not use the adapter is told which ones it may', async (t) => {
  const headers = ['authorization', `Bearer ${BOUND_KEY}`]
  t.equal(callerOf('openai', headers), 'team/bound')
  t.match(callerOrRefusal('native', headers), {
    code: 'model_not_allowed',
    message: 'this key may not use the Native adapter; it may use OpenAI, Gemini',
  })
})

t.test('a key out of force is refused like an unknown one, and known to the record alone', async (t) => {
  const unknown = callerOrRefusal('native', ['authorization', 'Bearer another'])
  for (const [text, id] of Object.entries({ [SUSPENDED_KEY]: 'team/suspended', [EXPIRED_KEY]: 'team/expired' })) {
    const record = presented('native', ['authorization', `Bearer ${text}`])
    const refusal = callerOrRefusal('native', record.incoming.rawHeaders)
    t.throws(() => authenticate(record, CONFIGURATION, 0), { code: 'invalid_api_key' })
    t.equal(record.virtualKey, id)
    t.notOk(JSON.stringify(refusal).includes(id))
    t.same(refusal, unknown)
  }
  const nobody = presented('native', ['authorization', 'Bearer another'])
  t.throws(() => authenticate(nobody, CONFIGURATION, 0))
  t.equal(nobody.virtualKey, undefined)
})
