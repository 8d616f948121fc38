import t from 'tap'
import { GatewayError, type ErrorCode } from '../../../../src/domain/errors.ts'
import type { RemovalRule, RoutePlan } from '../../../../src/domain/routing/route.ts'
import { NO_SLOT, type AttemptFailure } from '../../../../src/proxy/pipeline/attempts/attempt-failure.ts'
import { exhausted } from '../../../../src/proxy/pipeline/attempts/exhausted-plan.ts'
import { HealthBoard } from '../../../../src/proxy/providers/health-board.ts'
import { compile, deploymentOf, model, provider } from '../../../domain/routing/samples.ts'
import { createTestClock } from '../../../helpers/clock.ts'

const REFUSES_US: AttemptFailure = { type: 'failure', kind: 'error', retrySame: false, isOurFault: true }
const FAILED: AttemptFailure = { type: 'failure', kind: 'error', retrySame: true }
const FULL: AttemptFailure = NO_SLOT.failure

function setUp() {
  const clock = createTestClock()
  const board = new HealthBoard(clock.now)
  const compiled = compile(
    provider('one', [model('m')]),
    provider('two', [model('m')]),
    provider('narrow', [model('m')], { limits: { requestsPerMinute: 1 } }),
  )
  const at = (name: string) => deploymentOf(compiled, `${name}/m`)
  const planOf = (first: string, others: string[] = [], removed: Record<string, RemovalRule> = {}): RoutePlan => {
    const candidate = (name: string) => ({ deployment: at(name), score: 1 })
    const gone = Object.entries(removed).map(([name, rule]) => ({ deployment: at(name), rule, detail: '' }))
    return { type: 'plan', candidates: [candidate(first), ...others.map(candidate)], removed: gone, method: 'cost' }
  }
  const refusal = (failures: AttemptFailure[], plan: RoutePlan) => {
    const { code, retryable, details } = exhausted(failures, plan, board, clock.now())
    return [code, retryable, details.retryAfterSeconds]
  }
  return { board, clock, at, planOf, refusal }
}

t.test('where all refuse us, asking again does not help', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  for (const name of ['one', 'two']) board.failed(at(name), { reason: 'status-401', ourFault: true })
  t.strictSame(refusal([REFUSES_US, REFUSES_US], planOf('one', ['two'])), ['all_providers_failed', false, undefined])
  const other = planOf('one', [], { two: 'capability' })
  t.strictSame(refusal([REFUSES_US], other), ['all_providers_failed', false, undefined], 'a rule keeps the other out')
})

t.test('what refuses others by the time a request comes to it is not full', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  for (const name of ['one', 'two']) board.failed(at(name), { reason: 'status-401', ourFault: true })
  t.strictSame(refusal([FULL], planOf('one')), ['no_healthy_provider', false, 30])
  t.strictSame(refusal([REFUSES_US, FULL], planOf('one', ['two'])), ['all_providers_failed', false, undefined])
  t.strictSame(refusal([FULL, FULL], planOf('one', ['narrow'])), ['no_healthy_provider', true, 1], 'the other is full')
})

t.test('what refuses us does so for those who come while one tries it anew, and is not waited for', async (t) => {
  const { board, clock, at, planOf, refusal } = setUp()
  board.failed(at('one'), { reason: 'status-401', ourFault: true })
  clock.advance(30_000)
  board.enter(at('one'))
  t.strictSame(refusal([FULL], planOf('one')), ['no_healthy_provider', false, 1])
  board.failed(at('two'), { reason: 'status-429', retryAfterMs: 7_000 })
  const plan = planOf('one', [], { two: 'cooling-down' })
  t.strictSame(refusal([FULL], plan), ['no_healthy_provider', true, 7], 'the other is back then')
})

t.test('a trial that is out is waited for as long as an answer usually takes', async (t) => {
  const { board, clock, at, planOf, refusal } = setUp()
  board.succeeded(at('one'), 8_000)
  for (let count = 0; count < 3; count++) board.failed(at('one'), { reason: 'connect' })
  clock.advance(30_000)
  board.enter(at('one'))
  t.strictSame(refusal([FULL], planOf('one')), ['no_healthy_provider', true, 8])
  clock.advance(60_000)
  t.strictSame(refusal([FULL], planOf('one')), ['no_healthy_provider', true, 1], 'it takes longer')
})

t.test('the refusal says where its reason can be read', async (t) => {
  const { board, planOf } = setUp()
  t.match(
    exhausted([FAILED], planOf('one'), board, 0).message,
    /log lines `provider failed` of the gateway .*\(response header x-request-id\)/,
  )
})

t.test('where another was out for the moment only, it may serve then', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  board.failed(at('one'), { reason: 'status-401', ourFault: true })
  board.failed(at('two'), { reason: 'status-429', retryAfterMs: 7_000 })
  const plan = planOf('one', [], { two: 'cooling-down' })
  t.strictSame(refusal([REFUSES_US], plan), ['all_providers_failed', true, 7])
})

t.test('where all others are out as they refuse us too, asking again does not help', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  for (const name of ['one', 'two']) board.failed(at(name), { reason: 'status-401', ourFault: true })
  const plan = planOf('one', [], { two: 'cooling-down' })
  t.strictSame(refusal([REFUSES_US], plan), ['all_providers_failed', false, undefined])
})

t.test('one that refuses us is not waited for where another can be', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  board.failed(at('one'), { reason: 'status-401', ourFault: true })
  board.enter(at('narrow'))
  const full = Math.ceil(board.fullForMs(at('narrow')) / 1_000)
  t.ok(full > 30)
  const plan = planOf('narrow', [], { one: 'cooling-down' })
  t.strictSame(refusal([FULL], plan), ['no_healthy_provider', true, full])
  t.strictSame(refusal([REFUSES_US, FULL], planOf('one', ['narrow'])), ['all_providers_failed', true, full])
})

t.test('where not all have been asked, the next may serve at once', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  board.failed(at('one'), { reason: 'status-401', ourFault: true })
  t.strictSame(refusal([REFUSES_US], planOf('one', ['two'])), ['all_providers_failed', true, undefined])
})

t.test('a provider that was full is waited for as one that is cooling down', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  board.enter(at('narrow'))
  const full = Math.ceil(board.fullForMs(at('narrow')) / 1_000)
  t.ok(full > 30)
  for (let count = 0; count < 3; count++) board.failed(at('one'), { reason: 'connect' })
  t.strictSame(refusal([FAILED, FULL], planOf('one', ['narrow'])), ['all_providers_failed', true, 30])
  board.failed(at('two'), { reason: 'status-429', retryAfterMs: 7_000 })
  const plan = planOf('narrow', [], { two: 'cooling-down' })
  t.strictSame(refusal([FULL], plan), ['no_healthy_provider', true, 7], 'another is back earlier')
  t.strictSame(refusal([FULL], planOf('narrow')), ['no_healthy_provider', true, full])
  t.strictSame(refusal([FULL], planOf('two')), ['no_healthy_provider', true, 7])
  const { planOf: at2, refusal: fresh } = setUp()
  t.strictSame(fresh([FULL], at2('one')), ['no_healthy_provider', true, 1], 'as many at a time as it takes')
  t.strictSame(fresh([REFUSES_US, FULL], at2('two', ['one'])), ['all_providers_failed', true, 1])
})

t.test('where the budget does not leave a backup, asking again helps only if what was asked may recover', async (t) => {
  const { board, at, planOf, refusal } = setUp()
  const refused = (code: ErrorCode): AttemptFailure => {
    const error = new GatewayError(code, 'the total budget of this key leaves too little')
    return { ...NO_SLOT.failure, refusal: { deployment: at('two'), refused: undefined, error } }
  }
  const spent = refused('budget_exceeded')
  const plan = planOf('one', ['two'])
  t.strictSame(refusal([FAILED, spent], plan), ['budget_exceeded', true, undefined])
  t.strictSame(refusal([FULL, spent], plan), ['budget_exceeded', true, undefined])
  t.strictSame(refusal([REFUSES_US, spent], plan), ['budget_exceeded', false, undefined])
  t.strictSame(refusal([spent], plan), ['budget_exceeded', false, undefined])
  t.strictSame(refusal([REFUSES_US, spent, refused('budget_reserved')], plan), ['budget_reserved', true, undefined])
  board.failed(at('one'), { reason: 'status-429', retryAfterMs: 7_000 })
  t.strictSame(refusal([FAILED, spent], plan), ['budget_exceeded', true, 7], 'when what was asked may be asked again')
})
