import * as fc from 'fast-check'
import t from 'tap'
import { parseControlHeaders } from '../../../src/domain/control/parse-control-headers.ts'
import { aliasOf, CONTROL_HEADERS } from '../../../src/domain/control/registry.ts'
import { InvalidControlHeaderError } from '../../../src/domain/errors.ts'

const NAMES = CONTROL_HEADERS.flatMap((header) => [header.name, aliasOf(header)])

/** A header value as Node gives it: one character per byte. */
const bytes = fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets).toString('latin1'))

/** Pieces of valid values, so that the grammar's inner branches are met. */
const pieces = fc
  .array(
    fc.constantFrom(
      'pii-safe',
      'masking',
      ',',
      ', ',
      '=',
      'a=b',
      'us',
      '0.5',
      '1',
      '.',
      'true',
      'sync',
      'cost',
      ' ',
      '\t',
      '\u00c3\u00a0',
      '\u0000',
    ),
    { maxLength: 12 },
  )
  .map((list) => list.join(''))

const values = fc.oneof(bytes, pieces, fc.string({ unit: 'binary', maxLength: 300 }))

const fields = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom(...NAMES),
      fc.string().map((text) => `x-llm-${text}`),
      fc.string(),
    ),
    values,
  ),
  {
    maxLength: 6,
  },
)

t.test('no header value throws anything but InvalidControlHeaderError, with a printable message', async () => {
  fc.assert(
    fc.property(fields, (lines) => {
      const error = errorOf(() => parseControlHeaders(lines.flat()))
      if (error === undefined) return true
      return error instanceof InvalidControlHeaderError && /^[ -~]+$/.test(error.message + (error.details.param ?? ''))
    }),
    { numRuns: 3000 },
  )
})

t.test('what one header accepts on its own, its alias accepts with the same meaning', async () => {
  fc.assert(
    fc.property(fc.constantFrom(...CONTROL_HEADERS), values, (header, value) => {
      const canonical = meaningOf([header.name, value])
      return (
        canonical === meaningOf([aliasOf(header), value]) &&
        canonical === meaningOf([header.name, value, aliasOf(header), value])
      )
    }),
    { numRuns: 3000 },
  )
})

t.test('the order of header lines does not matter', async () => {
  const accepted = fc.uniqueArray(
    fc.constantFrom(
      ['x-llm-flags', 'pii-safe'],
      ['x-gateway-flags', 'masking'],
      ['x-llm-max-cost', '0.1'],
      ['x-gateway-max-cost', '0.2'],
      ['x-llm-trace', 'true'],
      ['x-llm-tags', 'a=1'],
      ['x-llm-tags', 'b=2'],
      ['x-llm-billing', 'async'],
      ['x-llm-billing', 'sync'],
    ),
    { selector: (line) => line },
  )
  fc.assert(fc.property(accepted, (lines) => meaningOf(lines.flat()) === meaningOf(lines.toReversed().flat())))
})

t.test('the lines of a header, joined by commas, may have 16,384 octets and not one more', async (t) => {
  const long = `a=1${','.repeat(16_381)}`
  t.equal(
    errorOf(() => parseControlHeaders(['x-llm-tags', long])),
    undefined,
  )
  t.equal(
    errorOf(() => parseControlHeaders(['x-llm-tags', long.slice(0, -4), 'x-llm-tags', 'b=2'])),
    undefined,
  )
  t.match(
    errorOf(() => parseControlHeaders(['x-llm-tags', `${long},`])),
    /longer than 16384/,
  )
  t.match(
    errorOf(() => parseControlHeaders(['x-llm-tags', long.slice(0, -3), 'x-llm-tags', 'b=2'])),
    /longer than 16384/,
  )
})

function meaningOf(lines: readonly string[]): string {
  let meaning = 'refused'
  errorOf(() => (meaning = JSON.stringify(parseControlHeaders(lines))))
  return meaning
}

function errorOf(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}
