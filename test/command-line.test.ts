import t from 'tap'
import { parseChoice, parseFlags, parseWholeNumber, UsageError, type FlagSpec } from '../src/command-line.ts'

t.test('a word is one of those that are known', async (t) => {
  t.equal(parseChoice('log-level', ['info', 'warn'], 'warn'), 'warn')
  for (const wrong of ['', 'Warn', 'warning', 'toString'])
    t.throws(
      () => parseChoice('log-level', ['info', 'warn'], wrong),
      new UsageError(`--log-level must be one of info, warn, not ${wrong}`),
    )
})

t.test('a whole number is written in digits, between its bounds', async (t) => {
  t.strictSame(
    ['1', '007', '65535'].map((text) => parseWholeNumber('port', text, 1, 65_535)),
    [1, 7, 65_535],
  )
  for (const wrong of ['', '0', '65536', '-1', '1.5', '1e3', '0x10', ' 1', '9'.repeat(40)])
    t.throws(
      () => parseWholeNumber('port', wrong, 1, 65_535),
      new UsageError(`--port must be a whole number from 1 to 65535, not ${wrong}`),
    )
})

const SPECS = {
  state: { type: 'text', help: '' },
  tag: { type: 'list', help: '' },
  demo: { type: 'switch', help: '' },
} as const satisfies Record<string, FlagSpec>

t.test('a list keeps all that is given, everything else the last', async (t) => {
  const given = ['--state', 'x', '--tag=a', '--tag', 'b', '--demo']
  t.strictSame(parseFlags(given, SPECS, {}), { state: 'x', tag: ['a', 'b'], demo: true })
  t.strictSame(parseFlags([...given, '--state=y', '--demo'], SPECS, {}), { state: 'y', tag: ['a', 'b'], demo: true })
})

t.test('what means nothing is refused', async (t) => {
  const cases: [string[], RegExp][] = [
    [['--state='], /^--state has an empty value$/],
    [['--state', ''], /^--state has an empty value$/],
    [['--tag='], /^--tag has an empty value$/],
    [['stray'], /'stray'.*--help lists the flags$/],
    [['--', 'stray'], /'stray'.*--help lists the flags$/],
    [['--state'], /argument missing.*--help lists the flags$/],
    [['--demo=yes'], /does not take an argument.*--help lists the flags$/],
  ]
  for (const [wrong, message] of cases) t.throws(() => parseFlags(wrong, SPECS, {}), { message }, wrong.join(' '))
  t.strictSame(parseFlags([], SPECS, { TOLLGATE_STATE: '' }), { state: undefined, tag: [], demo: false })
})
