import t from 'tap'
import { CONCEPTS } from '../../../../../src/domain/guardrails/injection/lexicon/concepts.ts'
import type { ConceptHit } from '../../../../../src/domain/guardrails/injection/lexicon/matcher.ts'
import { createRuleEngine } from '../../../../../src/domain/guardrails/injection/rules/engine.ts'
import type { ConceptRule } from '../../../../../src/domain/guardrails/injection/rules/rule.ts'

const RULE: ConceptRule = {
  name: 'r',
  family: 'override',
  weight: 1,
  toolWeight: 1,
  span: 5,
  groups: [['override'], ['prior', 'your'], ['instruction']],
}
const engine = createRuleEngine([RULE])
/** Words of one sentence. */
const PLACES = Int32Array.from({ length: 8 }, (_, token) => token)

function fire(hits: readonly ConceptHit[], places = PLACES): ReturnType<typeof engine> {
  return engine(hits, places)
}

function hit(token: number, name: keyof typeof CONCEPTS): ConceptHit {
  return { token, length: 1, concepts: 1 << CONCEPTS[name] }
}

t.test('a rule is met where one concept of each group is near, in any order', (t) => {
  t.same(fire([hit(0, 'override'), hit(2, 'prior'), hit(3, 'instruction')]), [{ rule: RULE, token: 3 }])
  t.same(fire([hit(0, 'instruction'), hit(1, 'your'), hit(5, 'override')]), [{ rule: RULE, token: 5 }])
  t.end()
})

t.test('a rule is not met where a group is missing or too far away', (t) => {
  t.same(fire([hit(0, 'override'), hit(1, 'instruction')]), [])
  t.same(fire([hit(0, 'override'), hit(2, 'prior'), hit(6, 'instruction')]), [])
  t.end()
})

t.test('a rule is not met by words of different paragraphs', (t) => {
  const hits = [hit(0, 'override'), hit(2, 'prior'), hit(3, 'instruction')]
  t.same(fire(hits, Int32Array.of(0, 1, 14, 15)), [])
  t.end()
})
