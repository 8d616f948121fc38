/** `tollgate check [--strict] PATH...`: says what is wrong with manifests, and what they would do. */
import { buildSnapshot } from '../domain/resources/build-snapshot.ts'
import type { ConditionReason, ResourceConditions } from '../domain/resources/conditions.ts'
import type { PatternCheck } from '../domain/resources/organizations.ts'
import { ownerOfSecret, type SecretLookup } from '../domain/resources/secret-lookup.ts'
import { Secret } from '../domain/secret.ts'
import type { Milliseconds } from '../domain/snapshot/snapshot.ts'
import { placeOfCondition } from './remarks/condition-places.ts'
import { loadManifests, type ManifestResources } from './load.ts'
import { formatPlaced } from './places.ts'
import { formatProblem } from './problem.ts'
import { STANDALONE_PROVIDER_NAMESPACES } from './provider-namespaces.ts'
import type { AddressCheck } from './remarks/refused-addresses.ts'
import { formatRemark, placeOfRemark, type Remark } from './remarks/remark.ts'
import { remarksOn } from './remarks/remarks.ts'
import { standaloneGaps } from './remarks/standalone-gaps.ts'
import { secretLookup, type Environment } from './secrets.ts'

export interface CheckOptions {
  readonly environment: Environment
  readonly checkPattern: PatternCheck
  readonly checkAddress: AddressCheck
  /** The machine's clock: which keys have expired. */
  readonly nowMs: Milliseconds
  /** A warning is a fault. */
  readonly strict?: boolean
  readonly writeLine: (line: string) => void
}

/**
 * Prints every problem, or a summary with what would not be in force. @returns the exit code: 1 where a cluster would
 * refuse a manifest, or a pattern does not compile. A key without a grant, a provider without its Secret, a name that
 * nothing bears, a kind that nothing finds or a setting that does nothing is good in a cluster and is only said; strictly taken it is a
 * fault, too. Manifests hold other kinds beside ours: those are noted, and a fault only where one was probably meant to be ours.
 * What a key states for a cluster only is noted, too, and never a fault: the files may well be for one.
 */
export function checkManifests(paths: readonly string[], options: CheckOptions): 0 | 1 {
  const result = loadManifests(paths, options.environment)
  if (result.type === 'invalid') {
    for (const problem of result.problems) options.writeLine(formatProblem(problem))
    if (result.omitted > 0) options.writeLine(`and ${result.omitted} more problems`)
    return 1
  }
  const foreign = result.warnings.filter(({ isForeign }) => isForeign)
  const slips = result.warnings.filter(({ isForeign }) => !isForeign)
  const gaps = standaloneGaps(result.resources).map((remark) => placedRemark(remark, result.resources))
  for (const note of [...foreign.map(formatProblem), ...gaps, ...keyless(result.resources, options)])
    options.writeLine(`note: ${note}`)
  const warnings = [...slips.map(formatProblem), ...warningsOf(result.resources, options)]
  for (const warning of warnings) options.writeLine(`warning: ${warning}`)
  const conditions = failingConditions(result.resources, options)
  const isFault = ({ reason }: FailingCondition) => reason === 'InvalidPattern'
  for (const condition of conditions)
    options.writeLine(isFault(condition) ? condition.line : `warning: ${condition.line}`)
  if (conditions.some(isFault)) return 1
  const count = warnings.length + conditions.length
  if (options.strict === true && count > 0) {
    options.writeLine(`not ok: ${counted(count, 'warning')}`)
    return 1
  }
  options.writeLine(summary(result.resources, result.files.length))
  return 0
}

function warningsOf(resources: ManifestResources, { strict = false, checkAddress }: CheckOptions): string[] {
  const remarks = remarksOn(resources, checkAddress).map((remark) => placedRemark(remark, resources))
  return [...missingKinds(resources, strict), ...remarks]
}

function placedRemark(remark: Remark, { places }: ManifestResources): string {
  const { kind, metadata } = remark.resource
  return `${formatPlaced({ kind, ...metadata }, placeOfRemark(remark, places))}: ${formatRemark(remark)}`
}

/** What a gateway cannot do without. Where something is declared, the rest may be elsewhere: that is judged strictly only. */
function missingKinds({ organizations, providers, virtualKeys }: ManifestResources, strict: boolean): string[] {
  const isPart = organizations.length + providers.length + virtualKeys.length > 0
  if (isPart && !strict) return []
  return [
    ...(virtualKeys.length === 0 ? ['no VirtualKey is declared: every call is a 401'] : []),
    ...(providers.length === 0 ? ['no Provider is declared: nobody can answer a call'] : []),
  ]
}

/** Organizations with providers look like all that there is. A fault only where missing kinds are. */
function keyless({ organizations, providers, virtualKeys }: ManifestResources, { strict }: CheckOptions): string[] {
  if (strict === true || organizations.length === 0 || providers.length === 0 || virtualKeys.length > 0) return []
  return ['no VirtualKey is declared here: a gateway that reads nothing else answers every call with 401']
}

function summary({ organizations, providers, virtualKeys }: ManifestResources, files: number): string {
  const counts = [
    [files, 'file'],
    [organizations.length, 'organization'],
    [providers.length, 'provider'],
    [virtualKeys.length, 'virtual key'],
  ] as const
  return `ok: ${counts.map(([count, word]) => counted(count, word)).join(', ')}`
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

interface FailingCondition {
  readonly reason: ConditionReason
  readonly line: string
}

function failingConditions(resources: ManifestResources, { checkPattern, nowMs }: CheckOptions): FailingCondition[] {
  const { conditions } = buildSnapshot({
    ...resources,
    secretValue: withPlaceholders(resources),
    providerNamespaces: STANDALONE_PROVIDER_NAMESPACES,
    digestOf: (text) => text,
    contentHash: () => '',
    checkPattern,
    nowMs,
  })
  return conditions.flatMap((resource) => failing(resource, resources, checkPattern))
}

/** Generated keys are made when the gateway runs; a check takes them as made. */
function withPlaceholders({ secrets }: ManifestResources): SecretLookup {
  const lookup = secretLookup(secrets)
  return (namespace, name, entry) => {
    const owner = ownerOfSecret(name)
    if (owner === undefined) return lookup(namespace, name, entry)
    return { type: 'value', secret: new Secret(`generated-for-${namespace}/${owner}`.padEnd(64, '.')) }
  }
}

/** A key that is suspended, or a provider that is disabled, is meant to be. */
function failing(
  resource: ResourceConditions,
  resources: ManifestResources,
  checkPattern: PatternCheck,
): FailingCondition[] {
  return resource.conditions
    .filter(({ type, status, reason }) => status === 'False' && (type !== 'Ready' || reason === 'Expired'))
    .map(({ reason, message }) => {
      const place = placeOfCondition(resource, reason, resources, checkPattern)
      return { reason, line: `${formatPlaced(resource, place)}: ${reason}: ${message}` }
    })
}
