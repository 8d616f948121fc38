/** The password in what a QR code of a wireless network says: `WIFI:S:Home;T:WPA;P:...;;`, whose fields come in any order. */
import type { Finding } from './finding.ts'

/** Ends the word that it begins with. */
export const WIFI = 'wifi'

const SIGN = String.raw`(?:[^;\\\n]|\\{1,15}[^\\\n])`
const CODE = new RegExp(String.raw`:(?:[AEHIRST]\d?:${SIGN}{0,128};){0,8}P:(?<value>${SIGN}{1,128})(?=;)`, 'iy')

/** The password behind the word `wifi` that ends at `end`. */
export function findWifiPassword(text: string, end: number): Finding | undefined {
  CODE.lastIndex = end
  const value = CODE.exec(text)?.groups?.['value']
  if (value === undefined || /^[<{[]/.test(value)) return undefined
  return { kind: 'KEY', start: CODE.lastIndex - value.length, end: CODE.lastIndex, rule: 'wifi-code' }
}
