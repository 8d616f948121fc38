/** The suite that every control header passes: valid, invalid, absent, alias. A new header adds its row to SAMPLES. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parseControlHeaders } from '../../../src/domain/control/parse-control-headers.ts'
import { aliasOf, CONTROL_HEADER_BY_NAME, CONTROL_HEADERS } from '../../../src/domain/control/registry.ts'
import { InvalidControlHeaderError } from '../../../src/domain/errors.ts'
import { NO_OVERRIDES } from '../../../src/domain/policy/overrides.ts'
import type { PolicyChange } from '../../../src/domain/policy/overrides.ts'

interface Samples {
  valid: [value: string, change: PolicyChange][]
  /** A valid value that means something else than the first. */
  other: string
  invalid: string[]
  /** Of the first valid value. */
  privilege: string | undefined
}

const SAMPLES: Record<string, Samples> = {
  'x-llm-flags': {
    valid: [['structured-output, masking', { flags: ['force-json', 'pii-safe'] }]],
    other: 'pii-safe',
    invalid: ['pii', 'pii-safe pii-safe', 'hasOwnProperty'],
    privilege: undefined,
  },
  'x-llm-exclude-providers': {
    valid: [['openai , Azure', { excludeProviders: ['azure', 'openai'] }]],
    other: 'openai',
    invalid: ['a b', '*', 'x'.repeat(64)],
    privilege: 'overrideRouting',
  },
  'x-llm-exclude-models': {
    valid: [['o3,gpt-4.1', { excludeModels: ['gpt-4.1', 'o3'] }]],
    other: 'o3',
    invalid: ['*-mini', 'x'.repeat(193)],
    privilege: 'overrideRouting',
  },
  'x-llm-exclude-countries': {
    valid: [
      ['us,cn', { excludeCountries: ['cn', 'us'] }],
      ['eu,uk,gb', { excludeCountries: ['eu', 'gb', 'uk'] }],
    ],
    other: 'us',
    invalid: ['US', 'usa', 'u', 'zy', 'de,en'],
    privilege: 'overrideRouting',
  },
  'x-llm-max-cost': {
    valid: [
      ['0.01', { maxCost: 10_000_000_000 }],
      ['0', { maxCost: 0 }],
    ],
    other: '0.011',
    invalid: ['-1', '1e3', 'NaN', '.5', '1.'],
    privilege: 'overrideRouting',
  },
  'x-llm-min-quality': {
    valid: [
      ['0.75', { minQuality: 0.75 }],
      ['1.00', { minQuality: 1 }],
    ],
    other: '0.7',
    invalid: ['1.01', '-0.1', 'best'],
    privilege: 'overrideRouting',
  },
  'x-llm-scoring-method': {
    valid: [['Latency', { scoringMethod: 'latency' }]],
    other: 'cost',
    invalid: ['fast', 'cost latency'],
    privilege: 'overrideRouting',
  },
  'x-llm-tags': {
    valid: [['team=a=b,cost-center=1', { tags: { 'cost-center': '1', team: 'a=b' } }]],
    other: 'team=a',
    invalid: ['team', 'team=', '=a', 'a=1,a=1'],
    privilege: undefined,
  },
  'x-llm-billing': {
    valid: [
      ['async', { billing: 'async' }],
      ['sync', { billing: 'sync' }],
    ],
    other: 'sync',
    invalid: ['later', 'sync,async'],
    privilege: 'asyncBilling',
  },
  'x-llm-trace': {
    valid: [
      ['true', { trace: true }],
      ['false', { trace: false }],
    ],
    other: 'false',
    invalid: ['1', 'yes'],
    privilege: 'trace',
  },
}

t.strictSame(
  CONTROL_HEADERS.map((header) => header.name),
  Object.keys(SAMPLES),
  'every header has its samples, in the order of the specification',
)

t.test('the document lists every header with its alias', async (t) => {
  const document = readFileSync(new URL('../../../docs/control-headers.md', import.meta.url), 'utf8').toLowerCase()
  for (const header of CONTROL_HEADERS) t.match(document, `| \`${header.name}\` | \`${aliasOf(header)}\` |`)
})

for (const header of CONTROL_HEADERS) {
  const samples = SAMPLES[header.name]
  if (samples === undefined) continue
  const { valid, other, invalid, privilege } = samples
  const [[first = ''] = []] = valid
  const alias = aliasOf(header)

  t.test(`${header.name} parses its valid values under both names, in both forms of input`, async (t) => {
    for (const [value, change] of valid) {
      for (const name of [header.name, alias, header.name.toUpperCase()]) {
        t.strictSame(parseControlHeaders([name, value]).change, change)
        t.strictSame(parseControlHeaders({ [name]: value }).change, change)
        t.strictSame(parseControlHeaders({ [name]: [` ${value}\t`] }).change, change)
      }
    }
  })

  t.test(`${header.name} refuses invalid values with its canonical name as param`, async (t) => {
    for (const value of [...invalid, '', ' ', ',', 'x'.repeat(20_000), ' '.repeat(20_000)]) {
      for (const name of [header.name, alias]) {
        t.equal(thrownBy(() => parseControlHeaders([name, value])).details.param, header.name)
      }
    }
  })

  t.test(`${header.name} absent changes nothing`, async (t) => {
    t.equal(parseControlHeaders(['accept', '*/*', 'x-request-id', first]), NO_OVERRIDES)
    t.equal(parseControlHeaders({ [header.name]: undefined, [alias]: [] }), NO_OVERRIDES)
  })

  t.test(`${header.name} and ${alias} may both be present when they agree`, async (t) => {
    t.equal(CONTROL_HEADER_BY_NAME.get(alias), header)
    const both = parseControlHeaders([header.name, first, alias, first])
    t.strictSame(both, parseControlHeaders([header.name, first]))
    t.equal(thrownBy(() => parseControlHeaders([header.name, first, alias, other])).details.param, header.name)
    t.equal(thrownBy(() => parseControlHeaders([alias, other, header.name, first])).details.param, header.name)
  })

  t.test(`${header.name} names the privilege that it needs`, async (t) => {
    const expected = privilege === undefined ? [] : [{ header: header.name, privilege }]
    t.strictSame(parseControlHeaders([alias, first]).needs, expected)
  })
}

t.test('a message shows bytes of the client only as short printable ASCII', async (t) => {
  const error = thrownBy(() => parseControlHeaders(['x-llm-flags', `a\u0000\u00ff\r\n${'b'.repeat(200)}`]))
  t.match(error.message, /^[ -~]{1,200}$/)
})

t.test('of a tag without a sign the message says which one it is and how one is written', async (t) => {
  t.equal(
    thrownBy(() => parseControlHeaders(['x-llm-tags', 'team=search, production'])).message,
    'x-llm-tags: element 2 is not a key=value pair such as team=search',
  )
})

t.test('a message never shows the value of a tag', async (t) => {
  for (const value of ['team=hunter2\u0007', 'team=hunter2,team=hunter2', `team=${'hunter2'.repeat(60)}`, 'hunter2']) {
    t.notMatch(thrownBy(() => parseControlHeaders(['x-llm-tags', value])).message, 'hunter2')
  }
})

t.test('a tag named __proto__ is a tag like any other', async (t) => {
  const { tags } = parseControlHeaders(['x-llm-tags', '__proto__=a']).change
  t.strictSame(Object.entries(tags ?? {}), [['__proto__', 'a']])
})

t.test('an unknown name is shown in full where it is short, cut where it is long', async (t) => {
  t.equal(thrownBy(() => parseControlHeaders(['X-LLM-Maxcost', '1'])).details.param, 'x-llm-maxcost')
  const long = thrownBy(() => parseControlHeaders([`x-llm-${'a'.repeat(5000)}`, '1']))
  t.ok((long.details.param ?? '').length < 60)
})

t.test('repeated lines of a single header that agree are one', async (t) => {
  t.strictSame(parseControlHeaders({ 'x-llm-trace': ['true', ' TRUE'] }).change, { trace: true })
  t.equal(thrownBy(() => parseControlHeaders({ 'x-llm-trace': ['true', 'false'] })).details.param, 'x-llm-trace')
})

t.test('many lines are bounded together', async (t) => {
  const lines = Array.from({ length: 20_000 }, () => 'true')
  t.equal(thrownBy(() => parseControlHeaders({ 'x-llm-trace': lines })).details.param, 'x-llm-trace')
})

function thrownBy(run: () => unknown): InvalidControlHeaderError {
  try {
    run()
  } catch (error) {
    if (error instanceof InvalidControlHeaderError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
