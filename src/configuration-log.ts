/** What a standalone gateway's log says of its manifests, each thing once: not at every reading, and not anew where only lines have moved. */
import type { ResourceConditions } from './domain/resources/conditions.ts'
import { namespacedName } from './domain/resources/namespaced-name.ts'
import type { Steps } from './domain/steps.ts'
import { placeOfCondition } from './manifests/remarks/condition-places.ts'
import type { LoadResult, ManifestResources } from './manifests/load.ts'
import { formatProblem, type ManifestProblem } from './manifests/problem.ts'
import { formatRemark, placeOfRemark, type Remark } from './manifests/remarks/remark.ts'
import { settingSlips, unmatchedInLists } from './manifests/remarks/remarks.ts'
import { openRestrictions } from './manifests/remarks/standalone-gaps.ts'
import { unmatchedKinds } from './manifests/remarks/unmatched-kinds.ts'
import { checkPattern } from './proxy/guardrails/check-pattern.ts'
import { literalRefusal } from './proxy/providers/address-guard.ts'
import type { Logger } from './proxy/pipeline/services.ts'

export class ConfigurationLog {
  readonly #log: Logger
  /** What was said at the last reading, of manifests and of what they declare. */
  #ignored: ReadonlySet<string> = new Set()
  #told: ReadonlySet<string> = new Set()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Manifests that are not valid. */
  refused({ problems, omitted }: LoadResult & { type: 'invalid' }): void {
    for (const problem of problems) this.#log.error({ problem: formatProblem(problem) }, 'manifest refused')
    if (omitted > 0) this.#log.error({ omitted }, 'further manifest problems')
  }

  /** All that this reading has not taken. */
  ignored(warnings: readonly ManifestProblem[]): void {
    for (const warning of warnings) {
      if (this.#ignored.has(withoutPlace(warning))) continue
      this.#log.warn({ problem: formatProblem(warning) }, 'manifest ignored')
    }
    this.#ignored = new Set(warnings.map(withoutPlace))
  }

  /**
   * What is declared and not in force, with the reason: a provider without its key here is normal. So what nothing finds. In
   * steps, beside requests: each of thousands of keys may have several.
   */
  *inForce(conditions: readonly ResourceConditions[], resources: ManifestResources): Steps<undefined> {
    const told = new Set<string>()
    for (const resource of conditions) {
      this.#tellIfNot(told, resource, resources)
      yield
    }
    yield* this.#remark(told, resources, yield* unmatchedInLists(resources), 'a name in a list is not known')
    yield* this.#remark(told, resources, unmatchedKinds(resources), 'a kind of masking is not known')
    const slips = yield* settingSlips(resources, literalRefusal)
    yield* this.#remark(told, resources, slips, 'a setting does not do what it says')
    yield* this.#remark(told, resources, openRestrictions(resources), 'a restriction does not hold here')
    this.#told = told
  }

  #tellIfNot(told: Set<string>, resource: ResourceConditions, resources: ManifestResources): void {
    const failing = resource.conditions.find(({ status }) => status === 'False')
    if (failing === undefined) return
    const { kind } = resource
    const { reason, message, isUnset = false } = failing
    const place = placeOfCondition(resource, reason, resources, checkPattern)
    const fields = { kind, resource: namespacedName(resource), place, reason, detail: message }
    // Manifests may list every provider: those whose variable is not set are out.
    const level = kind === 'Provider' && (reason === 'Disabled' || isUnset) ? 'info' : 'warn'
    this.#tellOnce(told, level, fields, kind === 'Provider' ? 'provider not in use' : 'resource not in force')
  }

  *#remark(
    told: Set<string>,
    { places }: ManifestResources,
    remarks: readonly Remark[],
    message: string,
  ): Steps<undefined> {
    for (const remark of remarks) {
      const { kind, metadata } = remark.resource
      const place = placeOfRemark(remark, places)
      const fields = { kind, resource: namespacedName(metadata), place, detail: formatRemark(remark) }
      this.#tellOnce(told, 'warn', fields, message)
      yield
    }
  }

  /** @param told gathers what holds at this reading: what held at the last one as well, if at another line, has been said */
  #tellOnce(
    told: Set<string>,
    level: 'info' | 'warn',
    fields: Readonly<Record<string, string | undefined>>,
    message: string,
  ): void {
    const { place: _place, ...lasting } = fields
    const line = JSON.stringify(lasting)
    told.add(line)
    if (!this.#told.has(line)) this.#log[level](fields, message)
  }
}

/** What stays of an object that is ignored where lines, documents or items of its List are put in above it. */
function withoutPlace(problem: ManifestProblem): string {
  return formatProblem({ ...problem, line: 0, document: 0, path: '' })
}
