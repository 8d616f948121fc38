import t from 'tap'
import type { JsonValue } from '../../../src/domain/json.ts'
import { isSameJson, kubeTime, mergeConditions } from '../../../src/operator/kube/conditions.ts'
import type { DesiredCondition } from '../../../src/operator/kube/conditions.ts'

const READY: DesiredCondition = { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 2 }
const NOON = Date.UTC(2026, 0, 15, 12, 0, 0, 123)

t.test('the transition time moves with the status only', async (t) => {
  const [first] = mergeConditions(undefined, [READY], NOON)
  t.equal(first?.['lastTransitionTime'], '2026-01-15T12:00:00Z')
  const [reworded] = mergeConditions(
    first === undefined ? [] : [first],
    [{ ...READY, message: 'still', observedGeneration: 3 }],
    NOON + 60_000,
  )
  t.match(reworded, { message: 'still', observedGeneration: 3, lastTransitionTime: '2026-01-15T12:00:00Z' })
  const [failed] = mergeConditions(
    reworded === undefined ? [] : [reworded],
    [{ ...READY, status: 'False', reason: 'Expired' }],
    NOON + 120_000,
  )
  t.match(failed, { status: 'False', reason: 'Expired', lastTransitionTime: '2026-01-15T12:02:00Z' })
})

t.test('types that are not desired are left to others', async (t) => {
  const other = { type: 'Healthy', status: 'True', reason: 'Ok', message: '', lastTransitionTime: kubeTime(NOON) }
  t.strictSame(
    mergeConditions([other], [READY], NOON).map(({ type }) => type),
    ['Ready'],
  )
})

t.test('a status that holds no conditions, or odd ones, is as good as none', async (t) => {
  for (const odd of [null, 'x', [null, 3, { type: 7 }], [{ type: 'Ready', status: 'True' }]]) {
    t.equal(mergeConditions(odd, [READY], NOON)[0]?.['lastTransitionTime'], '2026-01-15T12:00:00Z')
  }
})

t.test('a message is cut at what the API server takes', async (t) => {
  t.equal(String(mergeConditions([], [{ ...READY, message: 'x'.repeat(40_000) }], NOON)[0]?.['message']).length, 32_768)
})

const DIFFERENT: readonly (readonly [JsonValue | undefined, JsonValue | undefined])[] = [
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, {}],
  [
    [1, 2],
    [2, 1],
  ],
  [[1], [1, 1]],
  [null, {}],
  [[], {}],
  ['1', 1],
  [null, undefined],
]

t.test('JSON is the same whatever the order of fields, and only then', async (t) => {
  t.equal(isSameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), true)
  t.equal(isSameJson({ a: 1, b: undefined }, { a: 1 }), true)
  for (const [a, b] of DIFFERENT) t.equal(isSameJson(a, b), false, JSON.stringify([a, b]))
})
