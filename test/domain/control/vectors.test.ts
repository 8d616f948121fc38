/** Runs test/vectors/control-headers.json: header lines and levels in, effective policy or error out. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parseControlHeaders } from '../../../src/domain/control/parse-control-headers.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import type { EffectivePolicy } from '../../../src/domain/policy/effective-policy.ts'
import { resolvePolicy } from '../../../src/domain/policy/resolve-policy.ts'
import type { PolicyOutcome } from '../../../src/domain/policy/resolve-policy.ts'
import { parsePricePer1K } from '../../../src/domain/quota/money.ts'
import type { ComplianceSettings, PolicySettings, Privileges } from '../../../src/domain/snapshot/snapshot.ts'

type Level = Omit<PolicySettings, 'maxCost'> & { maxCostPer1K?: string }
type Floor = Omit<ComplianceSettings, 'maxCost'> & { maxCostPer1K?: string }

interface Vector {
  name: string
  headers: [string, string][]
  key?: Level
  project?: Level
  organization?: Level
  compliance?: Floor
  privileges?: (keyof Privileges)[]
  expect: { policy?: Record<string, unknown>; error?: { code: string; param: string } }
}

const FILE = new URL('../../vectors/control-headers.json', import.meta.url)
const { vectors } = JSON.parse(readFileSync(FILE, 'utf8')) as { vectors: Vector[] }

t.ok(vectors.length >= 120, 'there are at least 120 vectors')

t.ok(
  vectors.every(({ headers }) => headers.flat().every((text) => /^[\0-\xff]*$/.test(text))),
  'a character of a line is an octet',
)

for (const vector of vectors) {
  t.test(vector.name, async (t) => {
    const outcome = resolve(vector)
    if (outcome.type === 'refused') {
      const { code, details } = outcome.error
      t.same({ error: { code, param: details.param } }, vector.expect, outcome.error.message)
      return
    }
    const expected = withPrice(vector.expect.policy ?? {})
    t.ok(vector.expect.policy, 'expected a policy, not an error')
    t.strictSame(pick(asJson(outcome.policy), Object.keys(expected)), expected)
  })
}

function resolve(vector: Vector): PolicyOutcome {
  const privileges = vector.privileges ?? ['overrideRouting', 'trace', 'asyncBilling']
  try {
    return resolvePolicy({
      overrides: parseControlHeaders(vector.headers.flat()),
      key: { policies: withPrice(vector.key ?? {}), privileges: privilegesOf(privileges) },
      project: vector.project === undefined ? undefined : { defaults: withPrice(vector.project) },
      organization: { defaults: withPrice(vector.organization ?? {}), compliance: withPrice(vector.compliance ?? {}) },
    })
  } catch (error) {
    if (error instanceof GatewayError) return { type: 'refused', error }
    throw error
  }
}

function withPrice<Fields extends object>(fields: Fields): Omit<Fields, 'maxCostPer1K'> & { maxCost?: number } {
  const { maxCostPer1K, ...rest } = fields as Fields & { maxCostPer1K?: string | null }
  if (maxCostPer1K === undefined) return rest
  return { ...rest, maxCost: maxCostPer1K === null ? (null as unknown as number) : parsePricePer1K(maxCostPer1K) }
}

function privilegesOf(names: (keyof Privileges)[]): Privileges {
  const has = (name: keyof Privileges): boolean => names.includes(name)
  return {
    demask: has('demask'),
    trace: has('trace'),
    overrideRouting: has('overrideRouting'),
    asyncBilling: has('asyncBilling'),
  }
}

function asJson(policy: EffectivePolicy): Record<string, unknown> {
  return {
    ...policy,
    flags: [...policy.flags].toSorted(),
    excludeProviders: [...policy.excludeProviders].toSorted(),
    excludeModels: [...policy.excludeModels].toSorted(),
    excludeCountries: [...policy.excludeCountries].toSorted(),
    maxCost: policy.maxCost ?? null,
    minQuality: policy.minQuality ?? null,
    scoringMethod: policy.scoringMethod ?? null,
  }
}

function pick(fields: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, fields[name]]))
}
