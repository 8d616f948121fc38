/** By which names a deployment answers, and how the name lists of policies match them. */
import type { Deployment } from '../snapshot/compiled-snapshot.ts'

/** The word that means automatic choice, as does an absent model. */
export const AUTO_MODEL = 'auto'

const RESOURCE = 'models/'

/** A model of a manifest or a snapshot. */
interface NamedModel {
  readonly name: string
  readonly aliases: readonly string[]
  readonly upstreamName: string
}

/** Public name and aliases. */
export function publicNamesOf(deployment: Deployment): readonly string[] {
  return [deployment.model.name, ...deployment.model.aliases]
}

/** Whether `name` is one of the public names. */
export function answersTo({ model }: Deployment, name: string): boolean {
  return model.name === name || model.aliases.includes(name)
}

/**
 * By what an exclusion knows a model: its names and the one it has at its provider, with the provider before it or not.
 * Every way in which somebody may write it: a name that is overlooked sends data where its author forbade it.
 */
export function excludableNamesOf(provider: string, model: NamedModel): readonly string[] {
  const names = [model.name, ...model.aliases, model.upstreamName]
  return [...names, ...names.map((name) => `${provider}/${name}`)]
}

/** `pattern` is a name or a suffix glob (`gpt-4.1-*`): a star counts at the end only. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
}

/**
 * A list of exclusions made ready for many comparisons. Case does not count and a suffix glob is understood: an
 * exclusion that misses by a capital letter would send data where its author forbade it.
 */
export interface Exclusions {
  /** The first entry that matches one of `names`, as a message may show it; undefined where none does. */
  find(names: readonly string[]): string | undefined
}

/** What an empty list compiles to. */
export const NO_EXCLUSIONS: Exclusions = { find: () => undefined }

/** A list that stands in a key's policy is the same object for all requests of the key. */
const compiled = new WeakMap<ReadonlySet<string>, Exclusions>()

/** @see Exclusions */
export function compileExclusions(entries: ReadonlySet<string>): Exclusions {
  if (entries.size === 0) return NO_EXCLUSIONS
  const known = compiled.get(entries)
  if (known !== undefined) return known
  const exclusions = compileEntries(entries)
  compiled.set(entries, exclusions)
  return exclusions
}

/** What an entry of exclusions may mean, in lower case: Gemini's lists, ours too, write a model as `models/NAME`. */
export function meaningsOf(entry: string): readonly string[] {
  const lower = entry.toLowerCase()
  return lower.startsWith(RESOURCE) ? [lower, lower.slice(RESOURCE.length)] : [lower]
}

function compileEntries(entries: ReadonlySet<string>): Exclusions {
  const patterns = [...entries].flatMap(meaningsOf)
  return {
    find(names) {
      for (const name of names) {
        const lower = name.toLowerCase()
        const hit = patterns.find((pattern) => matchesName(pattern, lower))
        if (hit !== undefined) return hit
      }
      return undefined
    },
  }
}
