import t from 'tap'
import { re2ImagePattern, re2PatternEngine } from '../../../src/proxy/guardrails/re2-pattern-engine.ts'

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

t.test('a control character, as an escape in double quotes leaves behind, is refused with the cure', async (t) => {
  for (const [escape, code] of [
    ['\\0', '\0'],
    ['\\b', '\b'],
    ['\\N', '\x85'],
    ['\\L', '\u2028'],
    ['\\P', '\u2029'],
  ] as const) {
    const compiled = re2PatternEngine.compile(`BADGE${code}[0-9]+`)
    const message = compiled.type === 'error' ? compiled.message : ''
    t.match(message, /^character 6 is U\+[0-9A-F]{4}, as double quotes make of /)
    t.ok(message.includes(`of ${escape}: write \\${escape}, or take single quotes (\\x{`), message)
  }
  t.equal(re2PatternEngine.compile('[^\u2029{L}]x').type, 'error', 'a property in brackets')
  t.equal(re2PatternEngine.compile('[]\\]]\bx').type, 'error', 'behind brackets')
  t.throws(() => re2ImagePattern('mirror\b'), /^not a pattern of RE2: character 7 is U\+0008/)
})

t.test('a control character that is meant is left: in brackets, and where its escape is no other thing', async (t) => {
  for (const [pattern, text] of [
    ['\x1d21[A-Z]{4}', '\x1d21ABCD'],
    ['\x1bP[0-9]+', '\x1bP1234'],
    ['[^\0-\b\x0e-\x1f]{3}-\\d', 'abc-1'],
    ['[\x80-\x9f]?B[0-9]', '\x85B1'],
    ['[[:alpha:]\u2028]B', '\u2028B'],
    ['\\x{2028}B', '\u2028B'],
  ] as const) {
    const compiled = re2PatternEngine.compile(pattern)
    t.strictSame(compiled.type === 'pattern' && compiled.findAll(text), [[0, text.length]], encodeURIComponent(pattern))
  }
})

t.test('white space is none: bare it means what its escape means', async (t) => {
  for (const [bare, escaped] of [
    ['\t', '\\t'],
    ['\n', '\\n'],
    ['\v', '\\v'],
    ['\f', '\\f'],
    ['\r', '\\r'],
  ] as const) {
    for (const pattern of [`a${bare}b`, `a${escaped}b`]) {
      const compiled = re2PatternEngine.compile(pattern)
      t.strictSame(compiled.type === 'pattern' && compiled.findAll(`a${bare}b`), [[0, 3]], JSON.stringify(pattern))
    }
  }
})
