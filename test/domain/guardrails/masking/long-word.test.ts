import fc from 'fast-check'
import t from 'tap'
import { classOf } from '../../../../src/domain/guardrails/masking/character-classes.ts'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'
import { LongWord } from '../../../../src/domain/guardrails/masking/long-word.ts'

t.test('property: from wherever it is asked, the rest has the classes of its units', async (t) => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'Z', 'x', '0', '_', 'é', 'я'), minLength: 4, maxLength: 60 })
  fc.assert(
    fc.property(letters, fc.nat(), fc.nat(), (text, one, other) => {
      const start = one % (text.length - 3)
      const word = new LongWord(`${text}.`, start, text.length)
      const from = start + (other % (text.length - start))
      let bits = 0
      for (const unit of text.slice(from)) bits |= classOf(unit.charCodeAt(0))
      return word.bitsFrom(from) === bits
    }),
  )
  t.pass()
})

t.test('keys that fill a word of a million letters are all found, in one pass', async (t) => {
  const key = 'AKIAQ3EGRZ7KLM5NPT2X'
  const count = 50_000
  const findings = createDetector({ kinds: new Set(), custom: [] }).detect(`${key}_`.repeat(count))
  t.equal(findings.length, count)
  t.match(findings.at(-1), { kind: 'KEY', rule: 'aws-access-key', end: (key.length + 1) * count - 1 })
})
