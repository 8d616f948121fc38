import t from 'tap'
import { HealthBoard } from '../../../src/proxy/providers/health-board.ts'
import { Secret } from '../../../src/domain/secret.ts'
import type { ProviderEntry } from '../../../src/domain/snapshot/snapshot.ts'
import { createTestClock } from '../../helpers/clock.ts'
import { compile, deploymentOf, model, provider } from '../../domain/routing/samples.ts'

function setUp(fields: Partial<ProviderEntry> = {}) {
  const clock = createTestClock()
  const told: string[] = []
  const compiled = compile(provider('one', [model('a'), model('b')], fields))
  return {
    clock,
    board: new HealthBoard(clock.now, (...words) => told.push(words.filter(Boolean).join(' '))),
    told,
    a: deploymentOf(compiled, 'one/a'),
    b: deploymentOf(compiled, 'one/b'),
  }
}

const FAILURE = { reason: 'status-500' }

t.test('failures of one model do not touch another', async (t) => {
  const { board, clock, a } = setUp()
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000)
  t.equal(board.coolingDownUntil('one/b'), undefined)
  t.equal(board.enter(a), undefined)
})

t.test('it tells of a provider that refuses us until it is mended, and not where its checks are off', async (t) => {
  const { board, clock, a } = setUp()
  t.notOk(board.refusesUs('one/a'))
  board.failed(a, { ...FAILURE, ourFault: true })
  t.ok(board.refusesUs('one/a'))
  t.notOk(board.refusesUs('one/b'))
  clock.advance(30_000)
  t.notOk(board.refusesUs('one/a'))
  const { board: unchecked, a: free } = setUp({
    healthCheck: { ...provider('x', []).healthCheck, mode: 'Disabled' },
  })
  unchecked.failed(free, { ...FAILURE, ourFault: true })
  t.notOk(unchecked.refusesUs('one/a'))
})

t.test('it is told once when a breaker opens and when it closes', async (t) => {
  const { board, clock, told, a } = setUp()
  for (let count = 0; count < 4; count++) board.failed(a, FAILURE)
  t.strictSame(told, ['one/a opened status-500'])
  clock.advance(30_000)
  const leave = board.enter(a)
  board.failed(a, FAILURE)
  leave?.()
  t.equal(told.length, 1, 'tried, and still open')
  clock.advance(30_000)
  board.enter(a)
  board.succeeded(a, 1)
  board.succeeded(a, 1)
  t.strictSame(told.slice(1), ['one/a closed'])
})

t.test('a provider counts as out of order when all its models that were tried are', async (t) => {
  const { board, clock, a, b } = setUp()
  t.strictSame(board.openCircuits(), [])
  for (let count = 0; count < 2; count++) board.failed(a, FAILURE)
  t.strictSame(board.openCircuits(), [], 'too few failures')
  board.failed(a, FAILURE)
  t.strictSame(board.openCircuits(), ['one'])
  board.succeeded(b, 10)
  t.strictSame(board.openCircuits(), [], 'another model answers')
  for (let count = 0; count < 3; count++) board.failed(b, FAILURE)
  t.strictSame(board.openCircuits(), ['one'])
  clock.advance(30_000)
  t.strictSame(board.openCircuits(), ['one'], 'may be tried, and nobody has')
  board.enter(a)
  t.strictSame(board.openCircuits(), ['one'], 'on trial')
  board.succeeded(a, 10)
  t.strictSame(board.openCircuits(), [])
  board.failed(a, { ...FAILURE, ourFault: true })
  t.strictSame(board.openCircuits(), ['one'], 'it refuses us')
  clock.advance(90_000)
  t.strictSame(board.openCircuits(), [], 'without traffic it is taken to be well after a while')
  board.failed(a, { ...FAILURE, retryAfterMs: 5_000 })
  t.strictSame(board.openCircuits(), [], 'a cool-down that it asks for is no failure')
})

t.test('after the open time one attempt probes, and its success lets all in', async (t) => {
  const { board, clock, a } = setUp()
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
  clock.advance(30_000)
  const leave = board.enter(a)
  t.ok(leave)
  t.equal(board.enter(a), undefined, 'one at a time')
  board.succeeded(a, 120)
  t.ok(board.enter(a))
  leave?.()
  t.ok(board.enter(a))
  t.equal(board.latencyMs('one/a'), 120)
})

t.test('while one attempt is on trial, those that began before do not decide about the breaker', async (t) => {
  const { board, clock, told, a } = setUp()
  const before = clock.now()
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
  clock.advance(30_000)
  board.enter(a)
  board.failed(a, FAILURE, before)
  board.failed(a, { ...FAILURE, ourFault: true }, before)
  t.equal(board.coolingDownUntil('one/a'), undefined, 'a failure does not end it')
  board.streaming(a, 50, before)
  board.completed(a, before)
  board.succeeded(a, 50, before)
  t.equal(board.enter(a), undefined, 'nor does a success')
  t.equal(board.latencyMs('one/a'), 50, 'which tells how fast it is, all the same')
  board.succeeded(a, 1, clock.now())
  t.ok(board.enter(a))
  t.strictSame(told, ['one/a opened status-500', 'one/a closed'])
})

t.test('nor do they once a trial has begun to answer, or has ended', async (t) => {
  const { board, clock, a } = setUp()
  const before = clock.now()
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE, before)
  clock.advance(30_000)
  board.enter(a)
  const trial = clock.now()
  board.streaming(a, 50, trial)
  board.completed(a, before)
  board.failed(a, FAILURE, before)
  t.equal(board.coolingDownUntil('one/a'), undefined, 'a late failure says nothing of what is since')
  clock.advance(1)
  board.failed(a, FAILURE, trial)
  t.equal(
    board.coolingDownUntil('one/a'),
    clock.now() + 30_000,
    'nor does a late success: one break of a trial is enough',
  )
  clock.advance(30_000)
  board.enter(a)
  board.succeeded(a, 50, clock.now())
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE, before)
  t.equal(board.coolingDownUntil('one/a'), undefined)
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE, clock.now())
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000)
})

t.test('a trial that is out leaves no room for as long as an answer usually takes', async (t) => {
  const { board, clock, a, b } = setUp()
  board.succeeded(a, 8_000)
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
  clock.advance(30_000)
  t.equal(board.fullForMs(a), 0)
  board.enter(a)
  clock.advance(3_000)
  t.equal(board.fullForMs(a), 5_000)
  t.equal(board.fullForMs(b), 0)
  clock.advance(6_000)
  t.equal(board.fullForMs(a), 0, 'it takes longer')
  board.streaming(a, 9_000)
  t.equal(board.fullForMs(a), 0, 'it has answered')
})

t.test('a pause that is asked of another attempt meanwhile is kept, however a trial ends', async (t) => {
  const { board, clock, a } = setUp()
  const before = clock.now()
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
  clock.advance(30_000)
  board.enter(a)
  board.failed(a, { ...FAILURE, retryAfterMs: 5_000 }, before)
  board.succeeded(a, 1, clock.now())
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 5_000)
})

t.test('a verdict counts whether it comes before or after the slot is given back', async (t) => {
  for (const order of ['verdict first', 'slot first']) {
    const { board, clock, a } = setUp()
    for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
    clock.advance(30_000)
    const leave = board.enter(a)
    if (order === 'slot first') leave?.()
    board.failed(a, FAILURE)
    if (order === 'verdict first') leave?.()
    t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000, order)
  }
})

t.test('a probe whose client left makes room for the next, and one never given back is forgotten', async (t) => {
  const { board, clock, a } = setUp()
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
  clock.advance(30_000)
  board.enter(a)?.()
  t.ok(board.enter(a), 'the next one, which never ends')
  t.equal(board.enter(a), undefined)
  clock.advance(20_001)
  t.ok(board.enter(a))
})

t.test('the concurrency of a provider is shared by its models, and a slot is given back once', async (t) => {
  const { board, a, b } = setUp({ limits: { maxConcurrent: 2 } })
  const first = board.enter(a)
  t.ok(board.enter(b))
  t.equal(board.enter(a), undefined)
  first?.()
  first?.()
  t.ok(board.enter(a))
  t.equal(board.enter(b), undefined)
})

t.test('requests a minute are limited over a sliding minute', async (t) => {
  const { board, clock, a } = setUp({ limits: { requestsPerMinute: 2 } })
  t.equal(board.fullForMs(a), 0)
  board.enter(a)?.()
  board.enter(a)?.()
  t.equal(board.enter(a), undefined)
  t.equal(board.fullForMs(a), 90_000)
  clock.advance(60_000)
  t.equal(board.enter(a), undefined, 'the last minute still counts')
  clock.advance(30_000)
  t.ok(board.enter(a))
})

t.test('a request of before there was a limit, that was not sent, makes no room for another', async (t) => {
  const { board, a } = setUp({ limits: { requestsPerMinute: 1 } })
  const before = { ...a, provider: { ...a.provider, limits: {} } }
  const leave = board.enter(before)
  t.ok(board.enter(a))
  leave?.(false)
  t.equal(board.enter(a), undefined)
})

t.test('a request that was not sent counts towards no limit', async (t) => {
  const { board, clock, a } = setUp({ limits: { requestsPerMinute: 1, maxConcurrent: 1 } })
  board.enter(a)?.(false)
  const leave = board.enter(a)
  t.ok(leave)
  leave?.(true)
  leave?.(false)
  t.equal(board.enter(a), undefined, 'it has left already, and was sent')
  clock.advance(120_000)
  const late = board.enter(a)
  clock.advance(60_000)
  late?.(false)
  t.ok(board.enter(a), 'however late that is known')
})

t.test('tokens a minute are limited by what was used', async (t) => {
  const { board, clock, a } = setUp({ limits: { tokensPerMinute: 100 } })
  board.tokensUsed(a, 99)
  t.ok(board.enter(a))
  board.tokensUsed(a, 1)
  t.equal(board.enter(a), undefined)
  clock.advance(120_000)
  t.ok(board.enter(a))
})

t.test('mode Disabled switches the breaker off, not the Retry-After of the provider', async (t) => {
  const { board, clock, a } = setUp({ healthCheck: { ...provider('x', []).healthCheck, mode: 'Disabled' } })
  for (let count = 0; count < 10; count++) board.failed(a, { ...FAILURE, ourFault: true })
  t.ok(board.enter(a))
  board.failed(a, { ...FAILURE, retryAfterMs: 5_000 })
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 5_000)
})

t.test('a breaker that is open when its mode becomes Disabled closes', async (t) => {
  const { board, clock, told, a } = setUp()
  const disabled = setUp({ healthCheck: { ...provider('x', []).healthCheck, mode: 'Disabled' } }).a
  for (let count = 0; count < 3; count++) board.failed(a, { ...FAILURE, retryAfterMs: 5_000 })
  board.retain([a])
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000)
  board.retain([disabled])
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 5_000, 'its Retry-After holds')
  t.same(told, ['one/a opened status-500', 'one/a closed'])
  clock.advance(5_000)
  t.ok(board.enter(disabled))
  t.ok(board.enter(disabled), 'not one at a time')
  for (let count = 0; count < 3; count++) board.failed(a, FAILURE)
  t.equal(board.coolingDownUntil('one/a'), undefined, 'calls that began before do not open it again')
  board.retain([a])
  for (let count = 0; count < 3; count++) board.failed(disabled, FAILURE)
  t.equal(board.coolingDownUntil('one/a'), undefined, 'nor those that begin while it is Disabled and end after')
})

t.test('active checks take a whole provider out until they say otherwise or stop', async (t) => {
  const { board, clock, a } = setUp()
  board.markProvider('one', { type: 'down', untilMs: clock.now() + 1000 })
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 1000)
  t.equal(board.coolingDownUntil('one/b'), clock.now() + 1000)
  t.ok(board.failsChecks('one/b'))
  t.equal(board.enter(a), undefined)
  board.markProvider('one', { type: 'up' })
  t.notOk(board.failsChecks('one/b'))
  t.ok(board.enter(a))
  board.markProvider('one', { type: 'down', untilMs: clock.now() + 1000 })
  clock.advance(1000)
  t.ok(board.enter(a))
})

t.test('a provider is down by its checks, or by the circuits of all of its models that were tried', async (t) => {
  const { board, clock, a } = setUp()
  t.strictSame([...board.providersDown()], [], 'none is declared yet')
  board.retain([a])
  t.strictSame([...board.providersDown()], [['one', false]])
  board.markProvider('one', { type: 'down', untilMs: clock.now() + 1000 })
  t.strictSame([...board.providersDown()], [['one', true]])
  board.markProvider('one', { type: 'up' })
  t.strictSame([...board.providersDown()], [['one', false]])
  for (let failures = 0; failures < 3; failures++) board.failed(a, { reason: 'status-500' })
  t.strictSame([...board.providersDown()], [['one', true]])
  board.retain([])
  t.strictSame([...board.providersDown()], [])
})

t.test('what left the configuration is forgotten, and its attempts end in peace', async (t) => {
  const { board, a, b } = setUp({ limits: { maxConcurrent: 1 } })
  board.succeeded(a, 10)
  board.succeeded(b, 20)
  const leave = board.enter(a)
  board.retain([b])
  t.equal(board.latencyMs('one/a'), undefined)
  t.equal(board.latencyMs('one/b'), 20)
  t.equal(board.enter(b), undefined, 'the provider stays, and so does its slot')
  board.retain([])
  leave?.()
  const again = board.enter(b)
  t.ok(again)
  t.equal(board.enter(b), undefined)
})

t.test('a provider whose streams break off after their beginning is left alone for a while', async (t) => {
  const { board, clock, a } = setUp()
  for (let count = 0; count < 3; count++) {
    board.streaming(a, 50)
    board.failed(a, FAILURE)
  }
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000)
  t.equal(board.latencyMs('one/a'), 50)
  clock.advance(30_000)
  board.enter(a)
  board.streaming(a, 50)
  board.completed(a)
  board.failed(a, FAILURE)
  t.equal(board.coolingDownUntil('one/a'), undefined, 'a stream that came whole proves more than one that began')
})

/** Edits of the provider `one`, each with the Secret that is there then. */
const MENDING: Readonly<Record<string, { fields?: Partial<ProviderEntry>; upstreamName?: string; secret?: string }>> = {
  'another base URL': { fields: { endpoint: { ...provider('x', []).endpoint, baseUrl: 'https://elsewhere.example' } } },
  'another forward proxy': { fields: { endpoint: { ...provider('x', []).endpoint, proxyUrl: 'http://proxy:3128' } } },
  'other certificates': { fields: { endpoint: { ...provider('x', []).endpoint, ca: 'PEM' } } },
  'another way to send the key': { fields: { credentials: { type: 'Header', headerName: 'api-key' } } },
  'another family': { fields: { type: 'Anthropic' } },
  'more time': { fields: { timeouts: { ...provider('x', []).timeouts, firstByteMs: 90_000 } } },
  'another key': { secret: 'new' },
  'another name of the model there': { upstreamName: 'a-2025' },
}

for (const [edit, { fields = {}, upstreamName = 'a', secret = 'old' }] of Object.entries(MENDING)) {
  t.test(`${edit}: nothing is known of it any more, and calls of before tell nothing`, async (t) => {
    const { board, clock, told, a: before } = setUp()
    board.retain([before], () => new Secret('old'))
    board.succeeded(before, 120)
    board.failed(before, { ...FAILURE, ourFault: true, retryAfterMs: 50_000 })
    clock.advance(30_000)
    const probe = board.enter(before)
    const after = deploymentOf(compile(provider('one', [model('a', { upstreamName })], fields)), 'one/a')
    board.retain([after], () => new Secret(secret))
    t.equal(board.coolingDownUntil('one/a'), undefined)
    t.equal(board.latencyMs('one/a'), undefined)
    t.strictSame(told, ['one/a opened status-500', 'one/a closed'])
    probe?.()
    for (let count = 0; count < 3; count++) board.failed(before, { ...FAILURE, retryAfterMs: 5_000 })
    t.equal(board.coolingDownUntil('one/a'), undefined)
    for (let count = 0; count < 3; count++) board.failed(after, FAILURE)
    t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000)
    board.succeeded(before, 1)
    t.equal(board.latencyMs('one/a'), undefined)
  })
}

t.test('an edit of anything else leaves what is known of a provider', async (t) => {
  const { board, clock, a } = setUp()
  board.retain([a], () => new Secret('old'))
  for (let count = 0; count < 2; count++) board.failed(a, FAILURE)
  const models = [model('a', { quality: 0.9, contextWindow: 1_000 }), model('c')]
  const fields = { limits: { maxConcurrent: 9 }, priority: 1, weight: 7, countries: ['it'] }
  const after = deploymentOf(compile(provider('one', models, fields)), 'one/a')
  board.retain([after], () => new Secret('old'))
  board.failed(a, FAILURE)
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000, 'calls of before count')
  board.retain([deploymentOf(compile(provider('one', models)), 'one/a')], () => new Secret('old'))
  t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000)
})

t.test('calls to an address of before take no slot at the new one', async (t) => {
  const limits = { maxConcurrent: 1, requestsPerMinute: 1 }
  const { board, a } = setUp({ limits })
  board.retain([a])
  const leave = board.enter(a)
  const endpoint = { ...a.provider.endpoint, baseUrl: 'https://elsewhere.example' }
  const after = deploymentOf(compile(provider('one', [model('a')], { limits, endpoint })), 'one/a')
  board.retain([after])
  t.ok(board.enter(after))
  leave?.(false)
  t.equal(board.enter(after), undefined)
})

t.test('calls to an address of before take no slot at the new one, also where its models are others', async (t) => {
  const limits = { maxConcurrent: 1 }
  const { board, a } = setUp({ limits })
  board.retain([a])
  board.enter(a)
  const endpoint = { ...a.provider.endpoint, baseUrl: 'https://elsewhere.example' }
  const after = deploymentOf(compile(provider('one', [model('other')], { limits, endpoint })), 'one/other')
  board.retain([after])
  t.ok(board.enter(after))
})

t.test('a request of before that goes to the former server is no trial of the new one', async (t) => {
  const { board, clock, a: before } = setUp()
  board.retain([before])
  const endpoint = { ...before.provider.endpoint, baseUrl: 'https://elsewhere.example' }
  const after = deploymentOf(compile(provider('one', [model('a')], { endpoint })), 'one/a')
  board.retain([after])
  for (let count = 0; count < 3; count++) board.failed(after, FAILURE)
  clock.advance(30_000)
  const leave = board.enter(before)
  t.ok(leave)
  t.ok(board.enter(after), 'the trial is still to be made')
  leave?.()
  t.equal(board.enter(after), undefined, 'and then it is on its way')
})

/** Edits that leave the server what it is: what it allows a minute, and what is on its way to it, go on. */
const SAME_SERVER: Readonly<Record<string, Partial<ProviderEntry>>> = {
  'more time': { timeouts: { ...provider('x', []).timeouts, firstByteMs: 90_000 } },
  'another header': { endpoint: { ...provider('x', []).endpoint, headers: { 'x-title': 'shop' } } },
  'other certificates': { endpoint: { ...provider('x', []).endpoint, ca: 'PEM' } },
  'another forward proxy': { endpoint: { ...provider('x', []).endpoint, proxyUrl: 'http://proxy:3128' } },
  'another way to send the key': { credentials: { type: 'Header', headerName: 'api-key' } },
  'another key': {},
}

for (const [edit, fields] of Object.entries(SAME_SERVER)) {
  t.test(`${edit}: what is in use of a provider's own limits stays in use`, async (t) => {
    const limits = { maxConcurrent: 1, tokensPerMinute: 100 }
    const { board, a: before } = setUp({ limits })
    board.retain([before], () => new Secret('old'))
    const leave = board.enter(before)
    const after = deploymentOf(compile(provider('one', [model('a')], { limits, ...fields })), 'one/a')
    board.retain([after], () => new Secret('new'))
    t.equal(board.enter(after), undefined, 'the call of before is still on its way')
    leave?.()
    board.tokensUsed(before, 100)
    t.equal(board.enter(after), undefined, 'its tokens count')
  })
}

t.test('tokens of a model that has left count for its provider, those of a former server do not', async (t) => {
  const limits = { tokensPerMinute: 100 }
  const { board, a, b } = setUp({ limits })
  board.retain([a, b])
  board.enter(a)
  board.retain([b])
  board.tokensUsed(a, 100)
  t.equal(board.enter(b), undefined)
  const endpoint = { ...b.provider.endpoint, baseUrl: 'https://elsewhere.example' }
  const after = deploymentOf(compile(provider('one', [model('b')], { limits, endpoint })), 'one/b')
  board.retain([after])
  board.tokensUsed(a, 100)
  t.ok(board.enter(after))
})

t.test('the way to a provider is compared once, however many models it has', async (t) => {
  const { board } = setUp()
  let reads = 0
  const withCertificates = () =>
    compile(
      provider(
        'one',
        Array.from({ length: 50 }, (_, at) => model(`m${at}`)),
        {
          endpoint: {
            ...provider('x', []).endpoint,
            get ca() {
              reads++
              return 'PEM'
            },
          },
        },
      ),
    ).deployments
  board.retain(withCertificates())
  reads = 0
  board.retain(withCertificates())
  t.ok(reads > 0 && reads < 10, `${reads} reads`)
})

t.test(
  'an edit that is taken back begins anew each time, and what comes after it is compared with what is in force',
  async (t) => {
    const { board, clock, a } = setUp()
    const headers = { 'x-title': 'shop' }
    const edited = deploymentOf(
      compile(provider('one', [model('a')], { endpoint: { ...a.provider.endpoint, headers } })),
      'one/a',
    )
    const same = () => deploymentOf(compile(provider('one', [model('a')])), 'one/a')
    const open = (deployment: typeof a) => board.failed(deployment, { ...FAILURE, ourFault: true })
    board.retain([a])
    for (const next of [edited, a]) {
      open(next === a ? edited : a)
      board.retain([next])
      t.equal(board.coolingDownUntil('one/a'), undefined)
    }
    open(a)
    board.retain([same()])
    t.equal(board.coolingDownUntil('one/a'), clock.now() + 30_000, 'the same once more')
  },
)
