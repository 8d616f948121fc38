/**
 * Names of the cache's keys in Redis. All of one organization share the hash slot of `{organization}`, so that a
 * cluster serves them from one node. Organizations and projects are Kubernetes names: no colon, no brace.
 *
 *     tg:c:v2:{org}:a:<project>:<digest>     an answer
 *     tg:c:v2:{org}:s:<project>:<digest>     vectors of questions whose rest has that digest
 *     tg:c:v2:{org}:g:<project>              which of those lists have changed when, a sorted set
 *     tg:c:v2:{org}:purged                   how often what was purged: fields o, p:<project>, k:<owner/name>
 */
import { CACHE_VERSION } from '../../../domain/caching/stored-answer.ts'

/** Stands for «no project»; no Kubernetes name is a hyphen. */
const NO_PROJECT = '-'

export type EntryKind = 'a' | 's'

export function entryKey(kind: EntryKind, organization: string, project: string | undefined, digest: string): string {
  return `${prefixOf(organization)}${kind}:${project ?? NO_PROJECT}:${digest}`
}

/** The groups of a project's questions by their last change. */
export function changedGroupsKey(organization: string, project: string | undefined): string {
  return `${prefixOf(organization)}g:${project ?? NO_PROJECT}`
}

/** Glob of the lists of changes of an organization, or of one of its projects. */
export function changedGroupsPattern(organization: string, project: string | undefined): string {
  return `${prefixOf(organization)}g:${project ?? '*'}`
}

export function purgedKey(organization: string): string {
  return `${prefixOf(organization)}purged`
}

/** Glob of the entries of an organization, or of one of its projects. */
export function entriesPattern(kind: EntryKind, organization: string, project: string | undefined): string {
  return `${prefixOf(organization)}${kind}:${project ?? '*'}:*`
}

export const PURGED_ORGANIZATION = 'o'

export function purgedProject(project: string | undefined): string {
  return `p:${project ?? NO_PROJECT}`
}

export function purgedVirtualKey(virtualKey: string): string {
  return `k:${virtualKey}`
}

function prefixOf(organization: string): string {
  return `tg:c:v${CACHE_VERSION}:{${organization}}:`
}
