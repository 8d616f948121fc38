/**
 * Money as integers. Amounts are micro-dollars; prices are nano-dollars per million tokens, which holds both units of
 * the manifests (`Per1M` and `Per1K`, nine decimals) exactly up to 9,007,199 USD per million tokens.
 */

/** 1e-6 US dollars, an integer. */
export type MicroUsd = number

/** 1e-9 US dollars per 1,000,000 tokens, an integer. */
export type NanoUsdPer1M = number

const DECIMAL = /^[0-9]{1,12}(\.[0-9]{1,9})?$/

/** Dollars as a decimal string (`"0.40"`) to micro-dollars, rounded up. @throws {RangeError} where it is no such string. */
export function parseMicroUsd(decimal: string): MicroUsd {
  return scaled(decimal, 6)
}

/** A price per 1,000 tokens. @throws {RangeError} */
export function parsePricePer1K(decimal: string): NanoUsdPer1M {
  return scaled(decimal, 12)
}

/** A price per 1,000,000 tokens. @throws {RangeError} */
export function parsePricePer1M(decimal: string): NanoUsdPer1M {
  return scaled(decimal, 9)
}

/** A price per 1,000 tokens in dollars, as people write it in `x-llm-max-cost`. For messages only. */
export function formatPricePer1K(price: NanoUsdPer1M): string {
  return trimZeros((price / 1e12).toFixed(9))
}

/** Micro-dollars as a decimal string with six places: `formatMicroUsd(1500000)` is `"1.500000"`. */
export function formatMicroUsd(amount: MicroUsd): string {
  const sign = amount < 0 ? '-' : ''
  const absolute = Math.abs(amount)
  return `${sign}${Math.trunc(absolute / 1e6)}.${String(absolute % 1e6).padStart(6, '0')}`
}

/** Exact below 2^53, the nearest larger representable integer above: a ceiling stays a ceiling. */
function scaled(decimal: string, places: number): number {
  if (!DECIMAL.test(decimal)) throw new RangeError(`not a decimal amount: ${decimal.slice(0, 40)}`)
  const [whole = '0', fraction = ''] = decimal.split('.')
  const padded = fraction.padEnd(places, '0')
  const digits = BigInt(whole + padded.slice(0, places))
  const rest = /[1-9]/.test(padded.slice(places)) ? 1n : 0n
  return Number(digits + rest)
}

function trimZeros(decimal: string): string {
  return decimal.replace(/\.?0+$/, '')
}
