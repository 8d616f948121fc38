/** Plans and needs for tests of the quota stores. */
import { plannedScope, planOf } from '../../src/domain/quota/limits.ts'
import type { QuotaPlan, ScopeKind } from '../../src/domain/quota/limits.ts'
import type { QuotaNeed } from '../../src/domain/quota/need.ts'
import type { Budget, Limits, RateLimits, TokenQuota } from '../../src/domain/snapshot/snapshot.ts'
import type { Charge } from '../../src/domain/quota/amounts.ts'

export interface TestLimits {
  readonly budgets?: readonly Partial<Budget>[]
  readonly tokenQuotas?: readonly Partial<TokenQuota>[]
  readonly rateLimits?: RateLimits
}

/** Unless stated: a calendar day, 1,000, blocking, warning at 100 percent. */
export function limits({ budgets = [], tokenQuotas = [], rateLimits = {} }: TestLimits): Limits {
  return {
    budgets: budgets.map((budget) => ({
      window: 'Day',
      limit: 1_000,
      reset: 'Calendar',
      warnAtPercent: 100,
      onExceed: 'Block',
      ...budget,
    })),
    tokenQuotas: tokenQuotas.map((quota) => ({
      window: 'Day',
      kind: 'Total',
      limit: 1_000,
      reset: 'Calendar',
      onExceed: 'Block',
      ...quota,
    })),
    rateLimits,
  }
}

/** A plan with the given limits for its key, project and organization. */
export function plan(
  scopes: Partial<Record<ScopeKind, TestLimits>>,
  names: { key?: string; organization?: string } = {},
): QuotaPlan {
  const { key = 'team/app', organization = 'acme' } = names
  return planOf(organization, [
    plannedScope('key', `key/${key}`, limits(scopes.key ?? {})),
    plannedScope('project', 'project/search', limits(scopes.project ?? {})),
    plannedScope('organization', 'organization', limits(scopes.organization ?? {})),
  ])
}

/** A need of a fixed size: so much money, 10 input tokens and 20 output tokens unless stated. */
export function need(costMicroUsd: number, inputTokens = 10, outputTokens = 20): QuotaNeed {
  return { costMicroUsd, inputTokens, outputTokens, rateTokens: inputTokens + outputTokens }
}

/** What a need of that size is charged when it is used up. */
export function charge(costMicroUsd: number, inputTokens = 10, outputTokens = 20): Charge {
  return { costMicroUsd, inputTokens, outputTokens }
}

/** A budget for 10 requests of 100, shared by the processes of the kill test. */
export const KILL_TEST_PLAN = plan(
  {
    key: { budgets: [{ window: 'Total', limit: 1_000 }], rateLimits: { maxConcurrent: 1_000 } },
    organization: { budgets: [{ window: 'Total', limit: 1_000 }] },
  },
  { organization: 'kill' },
)
