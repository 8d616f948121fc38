import t from 'tap'
import type { Budget, Snapshot } from '../../../src/domain/snapshot/snapshot.ts'
import { UsageBoard } from '../../../src/operator/usage/usage-board.ts'
import type { CounterState } from '../../../src/operator/usage/counter-store.ts'
import { keyEntry, organizationEntry, snapshotOf } from '../../helpers/snapshots.ts'

const NOON = Date.UTC(2026, 0, 15, 12)
const SECOND = 1_000

function budget(limit: number, window: Budget['window'] = 'Day'): Budget {
  return { window, limit, reset: 'Calendar', warnAtPercent: 80, onExceed: 'Block' }
}

function limits(...budgets: Budget[]) {
  return { budgets, tokenQuotas: [], rateLimits: {} }
}

function snapshot(webLimit = 1_000): Snapshot {
  const projects = [{ name: 'web', defaults: {}, limits: limits(budget(webLimit)) }]
  return snapshotOf({
    organizations: [{ ...organizationEntry('acme'), limits: limits(budget(9_000, 'Month')), projects }],
    providers: [],
    virtualKeys: [
      { ...keyEntry('team/own'), organization: 'acme', limits: limits(budget(500)) },
      { ...keyEntry('team/webby'), organization: 'acme', project: 'web' },
      { ...keyEntry('team/free'), organization: 'acme' },
    ],
  })
}

function spent(costMicroUsd: number, refusedAt?: { limit: number; spent: number }): CounterState {
  const marks = refusedAt === undefined ? {} : { cost: refusedAt }
  return { costMicroUsd, inputTokens: 0, outputTokens: 0, requests: 0, marks }
}

function boardWith(states: Readonly<Record<string, CounterState>>, atMs = NOON, board = new UsageBoard()) {
  board.use(snapshot())
  const { shared, keys } = board.scopes
  const changed = [...shared, ...keys].flatMap((scope) => {
    const state = states[scope.scope.name]
    return state === undefined ? [] : board.note(scope, [state], atMs)
  })
  return { board, changed }
}

t.test('says of each key which scope has spent its budget', async (t) => {
  const all = { organization: spent(0), 'project/web': spent(0), 'key/team/own': spent(0) }
  const reasons = (states: Readonly<Record<string, CounterState>>) => {
    const { board } = boardWith({ ...all, ...states })
    return ['VirtualKey/team/own', 'VirtualKey/team/webby', 'VirtualKey/team/free', 'Organization/acme'].map((id) => {
      const found = board.exhaustionOf(id)
      return typeof found === 'string' ? found : found.reason
    })
  }
  t.strictSame(reasons({}), ['none', 'none', 'none', 'none'])
  t.strictSame(reasons({ 'key/team/own': spent(500) }), ['KeyBudgetExceeded', 'none', 'none', 'none'])
  t.strictSame(reasons({ 'project/web': spent(1_000) }), ['none', 'ProjectBudgetExceeded', 'none', 'none'])
  const everybody = 'OrganizationBudgetExceeded'
  t.strictSame(reasons({ organization: spent(9_999) }), [everybody, everybody, everybody, everybody])
  t.strictSame(reasons({ organization: spent(9_999), 'key/team/own': spent(500) }), [
    'KeyBudgetExceeded',
    everybody,
    everybody,
    everybody,
  ])
})

t.test('knows nothing before it has read', async (t) => {
  const { board } = boardWith({ organization: spent(0) })
  t.equal(board.exhaustionOf('VirtualKey/team/free'), 'none')
  t.equal(board.exhaustionOf('VirtualKey/team/webby'), 'unread')
  t.equal(board.exhaustionOf('VirtualKey/team/own'), 'unread')
})

t.test('names the resources that a change concerns, once', async (t) => {
  const { board } = boardWith({ organization: spent(0), 'project/web': spent(0), 'key/team/own': spent(0) })
  const after = (states: Readonly<Record<string, CounterState>>) => boardWith(states, NOON, board).changed
  t.strictSame(after({ 'project/web': spent(1_000) }), ['Organization/acme', 'VirtualKey/team/webby'])
  t.strictSame([...board.exhaustedProjects('acme')], ['web'])
  t.strictSame(after({ 'project/web': spent(1_100) }), [])
  t.strictSame(after({ 'key/team/own': spent(500) }), ['VirtualKey/team/own'])
  t.equal(board.exhausted.length, 2)
})

t.test('what a refusal has shown holds a minute, so that it does not flap', async (t) => {
  const board = new UsageBoard()
  const reason = (state: CounterState, atMs: number) => {
    boardWith({ organization: spent(0), 'project/web': state }, atMs, board)
    const found = board.exhaustionOf('VirtualKey/team/webby')
    return typeof found === 'string' ? found : found.reason
  }
  const refused = { limit: 1_000, spent: 700 }
  t.equal(reason(spent(700, refused), NOON), 'ProjectBudgetExceeded')
  t.equal(reason(spent(710, refused), NOON + SECOND), 'ProjectBudgetExceeded', 'a small request passed')
  t.equal(reason(spent(720, refused), NOON + 61 * SECOND), 'none')
  t.equal(reason(spent(720, { limit: 1_000, spent: 720 }), NOON + 70 * SECOND), 'ProjectBudgetExceeded')
  t.equal(reason(spent(600), NOON + 71 * SECOND), 'none', 'somebody took spending back')
  t.equal(reason(spent(1_000), NOON + 80 * SECOND), 'ProjectBudgetExceeded')
  t.equal(reason(spent(0), NOON + 12 * 3_600 * SECOND), 'none', 'the next day')
})

t.test('a raised limit is seen at once', async (t) => {
  const { board } = boardWith({ organization: spent(0), 'project/web': spent(950, { limit: 1_000, spent: 950 }) })
  t.match(board.exhaustionOf('VirtualKey/team/webby'), {
    message: /^project web has spent the day budget of 0.001000 USD; the next begins 2026-01-16T/,
  })
  board.use(snapshot(2_000))
  const [, web] = board.scopes.shared
  t.ok(web)
  if (web !== undefined) board.note(web, [spent(950, { limit: 1_000, spent: 950 })], NOON + SECOND)
  t.equal(board.exhaustionOf('VirtualKey/team/webby'), 'none')
})

t.test('windows of a minute are not looked at', async (t) => {
  const board = new UsageBoard()
  const tokenQuotas = [{ window: 'Minute', kind: 'Total', limit: 5, reset: 'Calendar', onExceed: 'Block' }] as const
  const key = { ...keyEntry('team/own'), organization: 'acme', limits: { budgets: [], tokenQuotas, rateLimits: {} } }
  board.use(snapshotOf({ organizations: [organizationEntry('acme')], providers: [], virtualKeys: [key] }))
  t.strictSame(board.scopes, { shared: [], keys: [] })
})
