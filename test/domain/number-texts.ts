/** Generated JSON with numbers of any spelling, and what a reader that loses nothing makes of a text. */
import fc from 'fast-check'

const NAMES = ['a', 'b', '1', '20', 'rawJSON', '__proto__', 'a"b', 'é\n', 'args', 'input', '']

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })

/** Each spelling that the grammar has; mostly beyond what a double keeps. */
const numberText: fc.Arbitrary<string> = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      digits(1, 25).map((text) => text.replace(/^0+(?=\d)/, '')),
    ),
    fraction: fc.option(digits(1, 25), { nil: undefined }),
    exponent: fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), fc.integer({ min: 0, max: 500 })), {
      nil: undefined,
    }),
  })
  .map(
    ({ sign, whole, fraction, exponent }) =>
      `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`,
  )

const space = fc.constantFrom('', '', ' ', '\n\t')

const { value, object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    numberText,
    fc.oneof(fc.string(), numberText).map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'false', 'null'),
    fc.tuple(space, fc.array(tie('value'), { maxLength: 4 })).map(([gap, items]) => `[${items.join(`${gap},${gap}`)}]`),
    tie('object'),
  ),
  object: fc
    .tuple(
      space,
      fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 }),
      fc.array(tie('value'), { minLength: 4, maxLength: 4 }),
    )
    .map(([gap, names, values]) => {
      const fields = names.map((name, index) => `${gap}${JSON.stringify(name)}${gap}:${gap}${values[index] ?? 'null'}`)
      return `{${fields.join(',')}${gap}}`
    }),
}))

/** The text of any object or array. */
export function jsonText(): fc.Arbitrary<string> {
  return fc.oneof(
    object,
    fc.array(value, { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
  )
}

/** The text of an object, as the arguments of a call are. */
export function objectText(): fc.Arbitrary<string> {
  return object
}

/** The value with every number as a text of its exact value; fields in the order of their names. */
export function valuesOf(text: string): unknown {
  return JSON.parse(text, (_name, read: unknown, context?: { readonly source?: string }) => {
    if (typeof read === 'number') return `number ${exact(context?.source ?? '')}`
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return Object.entries(read).toSorted()
    return read
  })
}

/** Significant digits and the power of ten, so that equal values have equal texts, however they are spelled. */
function exact(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const all = (whole + fraction).replace(/^0+/, '')
  const significant = all.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`
}
