/** Stage: which rules apply to this request. Headers only; a bad control header is refused before the body is read. */
import { parseControlHeaders } from '../../domain/control/parse-control-headers.ts'
import { CONTROL_HEADER_BY_NAME } from '../../domain/control/registry.ts'
import { trace as traceHeader } from '../../domain/control/trace.ts'
import { GatewayError } from '../../domain/errors.ts'
import { GUARDRAIL_FLAGS } from '../../domain/guardrails/registry.ts'
import { applyOverrides, basePolicy, type BasePolicy } from '../../domain/policy/resolve-policy.ts'
import type { EffectivePolicy } from '../../domain/policy/effective-policy.ts'
import type { VirtualKeyEntry } from '../../domain/snapshot/snapshot.ts'
import type { Caller } from './authenticate.ts'
import type { Incoming } from './exchange.ts'

export interface GovernedCaller extends Caller {
  readonly policy: EffectivePolicy
}

/** A key entry belongs to one snapshot, so its base policy lives as long as the snapshot does. */
const basePolicies = new WeakMap<VirtualKeyEntry, BasePolicy>()

/** @throws {GatewayError} 400, 403 as `applyOverrides` refuses; 501 for a flag whose guardrail is not part of this build. */
export function resolveRequestPolicy(caller: Caller, incoming: Incoming): GovernedCaller {
  return governed(caller, baseOf(caller), incoming)
}

/**
 * For calls that only read what the gateway knows, lists and usage. They cost nothing and leave no audit record that a
 * tag could stand in, and SDKs list models without headers of ours: no tag is demanded. @throws as `resolveRequestPolicy`
 */
export function resolveReadingPolicy(caller: Caller, incoming: Incoming): GovernedCaller {
  return governed(caller, { ...baseOf(caller), requiredTags: [] }, incoming)
}

/**
 * Whether a call is traced whose other control headers were refused: as the key's default says, or its own header, where
 * that is good and the key may.
 */
export function isTraced(caller: Caller, { rawHeaders }: Incoming): boolean {
  const lines: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (CONTROL_HEADER_BY_NAME.get(name.toLowerCase()) === traceHeader) lines.push(name, value)
  }
  try {
    const outcome = applyOverrides({ ...baseOf(caller), requiredTags: [] }, parseControlHeaders(lines))
    return outcome.type === 'policy' && outcome.policy.trace
  } catch {
    return false
  }
}

function governed(caller: Caller, base: BasePolicy, incoming: Incoming): GovernedCaller {
  const outcome = applyOverrides(base, parseControlHeaders(incoming.rawHeaders))
  if (outcome.type === 'refused') throw outcome.error
  for (const flag of outcome.policy.flags) {
    if (!GUARDRAIL_FLAGS.has(flag)) {
      throw new GatewayError('feature_not_available', `The flag ${flag} is not available in this version.`, {
        param: 'x-llm-flags',
      })
    }
  }
  const { configuration, key, organization, project } = caller
  return { configuration, key, organization, project, policy: outcome.policy }
}

function baseOf(caller: Caller): BasePolicy {
  const known = basePolicies.get(caller.key)
  if (known !== undefined) return known
  const base = basePolicy(caller)
  basePolicies.set(caller.key, base)
  return base
}
