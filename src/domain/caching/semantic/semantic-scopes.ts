/** Where answers are looked for by meaning, as the configuration stands. */
import { mergeCache } from '../../policy/cache-settings.ts'
import type { CompiledSnapshot } from '../../snapshot/compiled-snapshot.ts'

export interface SemanticScope {
  readonly organization: string
  /** Undefined: the organization's keys without a project. */
  readonly project: string | undefined
}

/** Organizations and projects with a key that may be answered by meaning, each once, in the snapshot's order. */
export function semanticScopes({ snapshot, organizations, projectOf }: CompiledSnapshot): readonly SemanticScope[] {
  const scopes = new Map<string, SemanticScope>()
  for (const key of snapshot.virtualKeys) {
    const levels = [key.policies, projectOf(key)?.defaults, organizations.get(key.organization)?.defaults]
    const { exact, semantic } = mergeCache(levels.map((level) => level?.cache))
    if (key.suspended || semantic?.enabled !== true || exact?.enabled === false) continue
    const { organization, project } = key
    scopes.set(`${organization} ${project ?? ''}`, { organization, project })
  }
  return [...scopes.values()]
}
