/** Whether digits are a payment card's number: a known issuer's prefix, that issuer's lengths, and a Luhn check digit. */

/** Digits of a number. */
export const SHORTEST = 12
export const LONGEST = 19

/** Number prefix ranges (inclusive) and lengths. @see https://en.wikipedia.org/wiki/Payment_card_number */
const ISSUERS: readonly { readonly from: number; readonly to: number; readonly lengths: readonly number[] }[] = [
  { from: 4, to: 4, lengths: [13, 16, 19] }, // Visa
  { from: 51, to: 55, lengths: [16] }, // Mastercard
  { from: 2221, to: 2720, lengths: [16] }, // Mastercard, second series
  { from: 34, to: 34, lengths: [15] }, // American Express
  { from: 37, to: 37, lengths: [15] },
  { from: 300, to: 305, lengths: [14, 16, 17, 18, 19] }, // Diners Club
  { from: 3095, to: 3095, lengths: [14, 16, 17, 18, 19] },
  { from: 36, to: 36, lengths: [14, 15, 16, 17, 18, 19] },
  { from: 38, to: 39, lengths: [14, 16, 17, 18, 19] },
  { from: 6011, to: 6011, lengths: [16, 17, 18, 19] }, // Discover
  { from: 644, to: 659, lengths: [16, 17, 18, 19] },
  { from: 3528, to: 3589, lengths: [16, 17, 18, 19] }, // JCB
  { from: 2131, to: 2131, lengths: [15] },
  { from: 1800, to: 1800, lengths: [15] },
  { from: 62, to: 62, lengths: [16, 17, 18, 19] }, // UnionPay
  { from: 81, to: 82, lengths: [16, 17, 18, 19] }, // UnionPay, RuPay
  { from: 50, to: 50, lengths: [12, 13, 14, 15, 16, 17, 18, 19] }, // Maestro, Verve, Elo, RuPay
  { from: 56, to: 58, lengths: [12, 13, 14, 15, 16, 17, 18, 19] }, // Maestro, Bancontact
  { from: 60, to: 61, lengths: [16, 17, 18, 19] }, // RuPay, Maestro, Hipercard
  { from: 63, to: 63, lengths: [12, 13, 14, 15, 16, 17, 18, 19] }, // Maestro, InstaPayment, Elo
  { from: 66, to: 69, lengths: [12, 13, 14, 15, 16, 17, 18, 19] }, // Maestro, Laser
  { from: 2200, to: 2205, lengths: [16, 17, 18, 19] }, // Mir
  { from: 9792, to: 9792, lengths: [16] }, // Troy
  { from: 8600, to: 8600, lengths: [16] }, // Uzcard
  { from: 9860, to: 9860, lengths: [16] }, // Humo
]

export function isCardNumber(digits: string): boolean {
  return digits.length >= SHORTEST && passesLuhn(digits) && isIssued(digits) && !/^(\d)\1*$/.test(digits)
}

function isIssued(digits: string): boolean {
  return ISSUERS.some(({ from, to, lengths }) => {
    const prefix = Number(digits.slice(0, String(from).length))
    return prefix >= from && prefix <= to && lengths.includes(digits.length)
  })
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 0x30
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
