import type { PolicyChange } from '../policy/overrides.ts'
import type { Privileges } from '../snapshot/snapshot.ts'

/**
 * One header of the LLM Standard. Its alias is derived in `registry.ts`; its grammar is in docs/control-headers.md.
 * @see specification section 4.2
 */
export interface ControlHeader {
  /** Canonical, lower case: `x-llm-flags`. */
  readonly name: `x-llm-${string}`
  /** `list`: repeated field lines are joined by commas (RFC 9110 section 5.3). `single`: they must mean the same. */
  readonly cardinality: 'list' | 'single'
  /**
   * One field value to its change, canonical as `PolicyChange` asks. Takes any string.
   * @throws {InvalidControlHeaderError} where the value does not follow the grammar.
   */
  parse(value: string): PolicyChange
  /** The privilege that this change needs; undefined: none. */
  privilegeFor(change: PolicyChange): keyof Privileges | undefined
}
