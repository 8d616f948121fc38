import t from 'tap'
import { parseChoice, parseWholeNumber, UsageError } from '../src/command-line.ts'

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
