import t from 'tap'
import { re2PatternEngine } from '../../../src/proxy/guardrails/re2-pattern-engine.ts'

t.test('a pattern finds every match with its offsets, astral characters before it included', async (t) => {
  const compiled = re2PatternEngine.compile('T-\\d+')
  if (compiled.type !== 'pattern') return t.fail('must compile')
  t.strictSame(compiled.findAll('\u{1F600} T-1, T-22'), [
    [3, 6],
    [8, 12],
  ])
  t.strictSame(compiled.findAll('none'), [])
})

for (const [pattern, reason] of [
  ['(', /./],
  ['a(?=b)', /./],
  ['(a)\\1', /./],
  ['x*', /empty text/],
  ['', /1 to 512/],
  ['a'.repeat(513), /1 to 512/],
] as const) {
  t.test(`the pattern ${JSON.stringify(pattern.slice(0, 12))} is refused with a reason`, async (t) => {
    const compiled = re2PatternEngine.compile(pattern)
    t.equal(compiled.type, 'error')
    t.match(compiled.type === 'error' ? compiled.message : '', reason)
  })
}
