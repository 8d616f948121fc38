/**
 * Whether a limit lets nothing more through. A budget is hardly ever used up to the last micro-dollar: what is left
 * just does not pay for a request any more. So the store notes at which level a request was refused.
 *
 * One huge request may be refused at any level. A refusal is taken for the end where less than half of the limit was
 * left and nothing has been spent since, or less than a tenth whatever came after.
 */
import type { PlannedLimit } from './limits.ts'

/** A refusal is noted where less than this part of the limit was left. */
export const NOTED_BELOW_PART = 2
const NEARLY_SPENT_PART = 10

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
  if (mark?.limit !== limit || spent < mark.spent) return false
  return (
    isLeftBelow(NEARLY_SPENT_PART, limit, spent) ||
    (spent === mark.spent && isLeftBelow(NOTED_BELOW_PART, limit, spent))
  )
}

function isLeftBelow(part: number, limit: number, spent: number): boolean {
  return (limit - spent) * part < limit
}
