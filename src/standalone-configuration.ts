/** Manifests on disk to the configuration in force: read, validate, build, swap. A bad state of the files changes nothing. */
import { ConfigurationLog } from './configuration-log.ts'
import { contentHash } from './crypto/content-hash.ts'
import type { PolicyLevels } from './domain/policy/resolve-policy.ts'
import { buildSnapshotInSteps } from './domain/resources/build-snapshot.ts'
import type { ResourceConditions } from './domain/resources/conditions.ts'
import type { Secret } from './domain/secret.ts'
import type { VirtualKeyEntry } from './domain/snapshot/snapshot.ts'
import type { Steps } from './domain/steps.ts'
import { GeneratedKeys, textsOf, withGenerated } from './generated-keys.ts'
import { placeOfCondition } from './manifests/remarks/condition-places.ts'
import { loadManifestsInSteps, loadTexts, type LoadResult, type ManifestResources } from './manifests/load.ts'
import { formatPlaced, formatResource } from './manifests/places.ts'
import { secretLookup } from './manifests/secrets.ts'
import { STANDALONE_PROVIDER_NAMESPACES } from './manifests/provider-namespaces.ts'
import {
  createConfigurationInSteps,
  type ConfigurationHolder,
  type DerivedSecrets,
} from './proxy/config/configuration.ts'
import { checkPattern } from './proxy/guardrails/check-pattern.ts'
import type { StateDirectory } from './proxy/config/state-directory.ts'
import { CallCancellation } from './proxy/pipeline/call-cancellation.ts'
import type { Now } from './proxy/pipeline/ports.ts'
import type { Logger } from './proxy/pipeline/services.ts'
import { takeTurns } from './proxy/pipeline/take-turns.ts'

export interface StandaloneOptions {
  readonly paths: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly state: StateDirectory
  readonly secrets: DerivedSecrets
  readonly holder: ConfigurationHolder
  readonly log: Logger
  readonly now: Now
  /** The machine's clock: which keys have expired. */
  readonly wallNow: Now
  /** Called after each reading: whether it is in force. */
  readonly loaded: (ok: boolean) => void
  /** Calls `again` after a while: to try what the state folder has not taken. */
  readonly later: (again: () => void) => void
}

/** A key that this process has made and that is in force, with the levels of its policy. */
export interface UsableKey extends PolicyLevels {
  readonly id: string
  readonly text: Secret
  readonly key: VirtualKeyEntry
}

/** No client waits for a reading whose going would end it. */
const NEVER_ENDED = new CallCancellation()

/** Said at the start and when the last one goes. */
export const NO_PROVIDER = 'no provider is in use: nobody can answer a call'

/** Said when another one comes into use: the demo's may well go before it. */
export const DEMO_STAYS = 'a provider of the manifests is in use now; the demo providers stay beside it until a restart'

/** What is wrong with manifests that are valid one by one. */
class ManifestError extends Error {}

export class StandaloneConfiguration {
  readonly #options: StandaloneOptions
  readonly #words: ConfigurationLog
  readonly #generatedKeys: GeneratedKeys
  readonly #texts: Record<string, string> = {}
  #generated: { readonly id: string; readonly key: Secret }[] = []
  #revision: string | undefined
  /** Whether what is in force declares one: without any, an open one is implied. */
  #declaresOrganization = false
  /** Whether one of the manifests on disk was in use at the last reading. */
  #hadProviderOnDisk = false
  #reading: Promise<boolean> = Promise.resolve(false)
  #next: Promise<boolean> | undefined

  constructor(options: StandaloneOptions) {
    this.#options = options
    this.#words = new ConfigurationLog(options.log)
    const { state, later } = options
    this.#generatedKeys = new GeneratedKeys({ state, later, found: () => void this.reload() })
  }

  /** Manifests beside those on disk, of the demo. In force from the next reading on. */
  addSource(texts: Readonly<Record<string, string>>): void {
    Object.assign(this.#texts, texts)
  }

  hasUsableProvider(): boolean {
    return this.#options.holder.current()?.compiled.deployments.length !== 0
  }

  /** Whether there is one that is neither suspended nor expired. */
  hasKey(): boolean {
    return this.#usableKeys().length > 0
  }

  /** Virtual keys that this process or an earlier one with the same state made, by `namespace/name`. */
  get generatedKeys(): readonly { readonly id: string; readonly key: Secret }[] {
    return this.#generated
  }

  /** Those of them that are neither suspended nor expired, in the same order. */
  usableGeneratedKeys(): readonly UsableKey[] {
    const { compiled } = this.#options.holder.current() ?? {}
    const usable = new Map(this.#usableKeys().map((key) => [key.id, key]))
    return this.#generated.flatMap(({ id, key: text }) => {
      const key = usable.get(id)
      const organization = key && compiled?.organizations.get(key.organization)
      return organization ? [{ id, text, key, project: compiled?.projectOf(key), organization }] : []
    })
  }

  #usableKeys(): readonly VirtualKeyEntry[] {
    const { holder, wallNow } = this.#options
    const keys = holder.current()?.compiled.snapshot.virtualKeys ?? []
    return keys.filter(({ suspended, expiresAtMs = Infinity }) => !suspended && wallNow() < expiresAtMs)
  }

  /**
   * Reads everything anew, in turns with requests: thousands of keys take seconds. One reading after the other: what
   * changes during one is read by the next, whoever asks for it meanwhile. Returns whether what was read is in force; if
   * not, the log says why. Never throws.
   */
  reload(): Promise<boolean> {
    this.#next ??= this.#after(this.#reading)
    return this.#next
  }

  async #after(reading: Promise<boolean>): Promise<boolean> {
    await reading
    this.#reading = this.#next ?? reading
    this.#next = undefined
    const ok = await takeTurns(this.#read(), this.#options.now, NEVER_ENDED)
    this.#options.loaded(ok)
    return ok
  }

  *#read(): Steps<boolean> {
    const { log } = this.#options
    try {
      const resources = yield* this.#load()
      if (resources !== undefined) yield* this.#swap(resources)
      return resources !== undefined
    } catch (err) {
      log.error(err instanceof ManifestError ? { problem: err.message } : { err }, 'configuration refused')
      return false
    }
  }

  /** Undefined: not all of it is valid, and the log says what is not. */
  *#load(): Steps<ManifestResources | undefined> {
    const { paths, environment, log } = this.#options
    const added = loadTexts(this.#texts, environment)
    const beside = added.type === 'loaded' ? added.resources.places : undefined
    const results = [yield* loadManifestsInSteps(paths, environment, beside), added]
    const invalid = results.filter((result) => result.type === 'invalid')
    if (invalid.length === 0) {
      const loaded = results.filter((result) => result.type === 'loaded')
      this.#words.ignored(loaded.flatMap(({ warnings }) => warnings))
      return merge(loaded)
    }
    for (const result of invalid) this.#words.refused(result)
    if (this.#revision !== undefined)
      log.error({ revision: this.#revision }, 'configuration kept, the new one is not valid')
    return undefined
  }

  *#swap(resources: ManifestResources): Steps<undefined> {
    const { secrets, holder, log, wallNow } = this.#options
    const generated = yield* this.#generatedKeys.read(resources.virtualKeys)
    const { snapshot, conditions, credentials } = yield* buildSnapshotInSteps({
      ...resources,
      secretValue: withGenerated(secretLookup(resources.secrets), generated),
      providerNamespaces: STANDALONE_PROVIDER_NAMESPACES,
      digestOf: secrets.digestOf,
      contentHash,
      checkPattern,
      nowMs: wallNow(),
    })
    requirePatterns(conditions, resources)
    this.#requireAsBefore(resources)
    const configuration = yield* createConfigurationInSteps(snapshot, credentials, secrets)
    const hadProvider = holder.current() !== undefined && this.hasUsableProvider()
    this.#generated = textsOf(generated)
    holder.swap(configuration)
    this.#generatedKeys.nowInForce(resources.virtualKeys)
    this.#revision = snapshot.revision
    this.#declaresOrganization = resources.organizations.length > 0
    yield* this.#words.inForce(conditions, resources)
    const { providers, virtualKeys, organizations } = snapshot
    const counts = { providers: providers.filter(({ enabled }) => enabled).length, virtualKeys: virtualKeys.length }
    log.info({ revision: snapshot.revision, organizations: organizations.length, ...counts }, 'configuration in force')
    if (hadProvider && !this.hasUsableProvider()) log.warn({}, NO_PROVIDER)
    this.#tellIfDemoStays(resources)
  }

  /** Whether there is a demo is decided at the start: it goes on beside the provider that it was to stand for. */
  #tellIfDemoStays({ places }: ManifestResources): void {
    const files = Object.keys(this.#texts)
    const isOnDisk = (name: string): boolean =>
      !files.includes(places.get(formatResource({ kind: 'Provider', name }))?.file ?? '')
    const deployments = this.#options.holder.current()?.compiled.deployments ?? []
    const has = deployments.some(({ provider }) => isOnDisk(provider.name))
    if (files.length > 0 && has && !this.#hadProviderOnDisk) this.#options.log.warn({}, DEMO_STAYS)
    this.#hadProviderOnDisk = has
  }

  /**
   * Files that have been emptied or moved, by a slip or half-way through a save, must not lock everybody out, nor put the open
   * organization that is implied in the place of a declared one: nothing would be masked any more.
   */
  #requireAsBefore({ organizations, virtualKeys, providers }: ManifestResources): void {
    const before = this.#options.holder.current()?.compiled.snapshot
    if (before === undefined) return
    const kinds = [
      { kind: 'VirtualKey', had: before.virtualKeys.length > 0, has: virtualKeys.length > 0 },
      { kind: 'Provider', had: before.providers.length > 0, has: providers.length > 0 },
      { kind: 'Organization', had: this.#declaresOrganization, has: organizations.length > 0 },
    ]
    const gone = kinds.find(({ had, has }) => had && !has)
    if (gone !== undefined)
      throw new ManifestError(`the manifests declare no ${gone.kind} any more; restart the gateway if that is meant`)
  }
}

/** An organization whose masking cannot be read must not vanish with all its keys because of a slip in a pattern. */
function requirePatterns(conditions: readonly ResourceConditions[], resources: ManifestResources): void {
  for (const resource of conditions) {
    const bad = resource.conditions.find(({ reason }) => reason === 'InvalidPattern')
    if (bad === undefined) continue
    const place = placeOfCondition(resource, bad.reason, resources, checkPattern)
    throw new ManifestError(`${formatPlaced(resource, place)}: ${bad.message}`)
  }
}

function merge(results: readonly (LoadResult & { type: 'loaded' })[]): ManifestResources {
  const all = results.map(({ resources }) => resources)
  return {
    organizations: all.flatMap(({ organizations }) => organizations),
    providers: all.flatMap(({ providers }) => providers),
    virtualKeys: all.flatMap(({ virtualKeys }) => virtualKeys),
    namespaces: all.flatMap(({ namespaces }) => namespaces),
    secrets: all.flatMap(({ secrets }) => secrets),
    places: new Map(all.flatMap(({ places }) => [...places])),
  }
}
