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
  const lastSeen = Array.from({ length: CONCEPT_COUNT }, () => NEVER)
  for (const hit of hits) {
    const place = places[hit.token] ?? 0
    for (let concept = 0; concept < CONCEPT_COUNT; concept++)
      if (hit.concepts & (1 << concept)) lastSeen[concept] = place
    for (let concept = 0; concept < CONCEPT_COUNT; concept++) {
      if (!(hit.concepts & (1 << concept))) continue
      for (const { rule, groups } of byConcept[concept] ?? []) {
        if (groups.every((group) => seenSince(lastSeen, group, place - rule.span)))
          firings.push({ rule, token: hit.token })
      }
    }
  }
  return firings
}

function seenSince(lastSeen: readonly number[], group: number, since: number): boolean {
  for (let concept = 0; concept < CONCEPT_COUNT; concept++)
    if (group & (1 << concept) && (lastSeen[concept] ?? NEVER) >= since) return true
  return false
}
