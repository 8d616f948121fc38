/** The snapshot's runtime form: the lookups that requests need, built once per swap. */
import type {
  ModelEntry,
  OrganizationEntry,
  ProjectEntry,
  ProviderEntry,
  Snapshot,
  VirtualKeyEntry,
} from './snapshot.ts'

/** A model at a provider: what a request can be sent to. */
export interface Deployment {
  readonly provider: ProviderEntry
  readonly model: ModelEntry
  /** `provider/model`, the key of health and latency records. */
  readonly id: string
}

export interface CompiledSnapshot {
  readonly snapshot: Snapshot
  readonly revision: string
  /** Enabled models of enabled providers, in the snapshot's order. */
  readonly deployments: readonly Deployment[]
  /** By public model name and by alias. */
  readonly deploymentsByModel: ReadonlyMap<string, readonly Deployment[]>
  /** By `provider/model` (public names and aliases). */
  readonly deploymentsById: ReadonlyMap<string, Deployment>
  readonly keysByDigest: ReadonlyMap<string, KeyMatch>
  readonly organizations: ReadonlyMap<string, OrganizationEntry>
  /** The project of a key, where it has one. */
  projectOf(key: VirtualKeyEntry): ProjectEntry | undefined
}

export interface KeyMatch {
  readonly key: VirtualKeyEntry
  readonly notAfterMs: number | undefined
}

export function compileSnapshot(snapshot: Snapshot): CompiledSnapshot {
  const deployments = listDeployments(snapshot)
  const organizations = new Map(snapshot.organizations.map((entry) => [entry.name, entry]))
  return {
    snapshot,
    revision: snapshot.revision,
    deployments,
    deploymentsByModel: indexByModel(deployments),
    deploymentsById: indexById(deployments),
    keysByDigest: indexKeys(snapshot.virtualKeys),
    organizations,
    projectOf: (key) => organizations.get(key.organization)?.projects.find((project) => project.name === key.project),
  }
}

function listDeployments(snapshot: Snapshot): Deployment[] {
  return snapshot.providers
    .filter((provider) => provider.enabled)
    .flatMap((provider) =>
      provider.models
        .filter((model) => model.enabled)
        .map((model) => ({ provider, model, id: `${provider.name}/${model.name}` })),
    )
}

function namesOf(deployment: Deployment): readonly string[] {
  return [deployment.model.name, ...deployment.model.aliases]
}

function indexByModel(deployments: readonly Deployment[]): Map<string, Deployment[]> {
  const index = new Map<string, Deployment[]>()
  for (const deployment of deployments) {
    for (const name of new Set(namesOf(deployment))) {
      const list = index.get(name)
      if (list === undefined) index.set(name, [deployment])
      else list.push(deployment)
    }
  }
  return index
}

function indexById(deployments: readonly Deployment[]): Map<string, Deployment> {
  const index = new Map<string, Deployment>()
  for (const deployment of deployments) {
    for (const name of namesOf(deployment)) index.set(`${deployment.provider.name}/${name}`, deployment)
  }
  for (const deployment of deployments) index.set(deployment.id, deployment)
  return index
}

function indexKeys(keys: readonly VirtualKeyEntry[]): Map<string, KeyMatch> {
  const index = new Map<string, KeyMatch>()
  for (const key of keys) {
    for (const { digest, notAfterMs } of key.digests) {
      if (!index.has(digest)) index.set(digest, { key, notAfterMs })
    }
  }
  return index
}
