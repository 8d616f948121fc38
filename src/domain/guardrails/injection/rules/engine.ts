/**
 * Runs the concept rules over a reading. For each concept the place where it was last seen is kept; at a hit, each rule that
 * knows its concept looks whether its other groups were seen recently enough. Order of the concepts does not matter, since
 * languages order them differently. Hits times rules of a concept: linear.
 */
import { CONCEPT_COUNT, CONCEPTS } from '../lexicon/concepts.ts'
import type { ConceptHit } from '../lexicon/matcher.ts'
import type { ConceptRule, Firing } from './rule.ts'

interface CompiledRule {
  readonly rule: ConceptRule
  /** A set of concepts a group. */
  readonly groups: readonly number[]
}

const NEVER = -1e9

/** @returns a function that finds what rules are met, in the order of the text. */
export function createRuleEngine(
  rules: readonly ConceptRule[],
): (hits: readonly ConceptHit[], places: Int32Array) => Firing[] {
  const byConcept: CompiledRule[][] = Array.from({ length: CONCEPT_COUNT }, () => [])
  for (const rule of rules) {
    const groups = rule.groups.map((group) => group.reduce((set, name) => set | (1 << CONCEPTS[name]), 0))
    const known = groups.reduce((all, group) => all | group, 0)
    for (let concept = 0; concept < CONCEPT_COUNT; concept++)
      if (known & (1 << concept)) byConcept[concept]?.push({ rule, groups })
  }
  return (hits, places) => fire(byConcept, hits, places)
}

function fire(
  byConcept: readonly (readonly CompiledRule[])[],
  hits: readonly ConceptHit[],
  places: Int32Array,
): Firing[] {
  const firings: Firing[] = []
  const lastSeen = new Float64Array(CONCEPT_COUNT).fill(NEVER)
  for (const hit of hits) {
    const place = places[hit.token] ?? 0
    for (let rest = hit.concepts; rest !== 0; rest &= rest - 1) lastSeen[lowestConcept(rest)] = place
    for (let rest = hit.concepts; rest !== 0; rest &= rest - 1) {
      for (const compiled of byConcept[lowestConcept(rest)] ?? [])
        if (isMet(compiled, lastSeen, place)) firings.push({ rule: compiled.rule, token: hit.token })
    }
  }
  return firings
}

function isMet({ rule, groups }: CompiledRule, lastSeen: Float64Array, place: number): boolean {
  for (const group of groups) if (!seenSince(lastSeen, group, place - rule.span)) return false
  return true
}

function seenSince(lastSeen: Float64Array, group: number, since: number): boolean {
  for (let rest = group; rest !== 0; rest &= rest - 1)
    if ((lastSeen[lowestConcept(rest)] ?? NEVER) >= since) return true
  return false
}

/** Number of the lowest bit of a set that is not empty. */
function lowestConcept(set: number): number {
  return 31 - Math.clz32(set & -set)
}
