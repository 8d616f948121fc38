/**
 * Whether a limit lets nothing more through. A budget is hardly ever used up to the last micro-dollar: what is left
 * just does not pay for a request any more. So the store notes at which level a request was refused.
 */
import type { PlannedLimit } from './limits.ts'

/** A refusal is representative where less than this part of the limit was left; a huge request may be refused at any level. */
export const NEARLY_SPENT_PART = 10

/** What stood against a limit when it last refused a request. */
export interface RefusalMark {
  readonly limit: number
  readonly spent: number
}

/** `spent`: in the unit of the limit. Limits that only warn are never exhausted. */
export function isExhausted({ limit, onExceed }: PlannedLimit, spent: number, mark: RefusalMark | undefined): boolean {
  if (onExceed !== 'Block') return false
  if (spent >= limit) return true
  // Under another limit, or where amounts have dropped out since, the refusal says nothing any more.
  return mark?.limit === limit && spent >= mark.spent && isNearlySpent(limit, spent)
}

function isNearlySpent(limit: number, spent: number): boolean {
  return (limit - spent) * NEARLY_SPENT_PART < limit
}
