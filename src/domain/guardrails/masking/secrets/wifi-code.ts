/** The password in what a QR code of a wireless network says: `WIFI:S:Home;T:WPA;P:...;;`, whose fields come in any order. */
import type { Finding } from '../finding.ts'
import { isPlaceholder } from './randomness.ts'

/** Ends the word that it begins with. */
export const WIFI = 'wifi'

const SIGN = String.raw`(?:[^;\\\n]|\\{1,15}[^\\\n])`
const CODE = new RegExp(String.raw`:(?:[AEHIRST]\d?:${SIGN}{0,128};){0,8}P:(?<value>${SIGN}{1,128})(?=;)`, 'iy')

/** `WiFi.begin("home", "...")` of a small device's program. */
const BEGIN =
  /\.begin\(\s{0,8}(?:\\{0,7}["'][^"'\n\\]{0,64}\\{0,7}["']|[\w.]{1,40}),\s{0,8}\\{0,7}["'](?<value>[^"'\n\\]{4,128})\\{0,7}["']/dy

/** The password behind the word `wifi` that ends at `end`. */
export function findWifiPassword(text: string, end: number): Finding | undefined {
  BEGIN.lastIndex = end
  const place = BEGIN.exec(text)?.indices?.groups?.['value']
  if (place !== undefined && !isExample(text.slice(...place)))
    return { kind: 'KEY', start: place[0], end: place[1], rule: 'wifi-code' }
  CODE.lastIndex = end
  const value = CODE.exec(text)?.groups?.['value']
  if (value === undefined || /^[<{[]/.test(value)) return undefined
  return { kind: 'KEY', start: CODE.lastIndex - value.length, end: CODE.lastIndex, rule: 'wifi-code' }
}

/** What an example has there, `your_password`. */
function isExample(value: string): boolean {
  return isPlaceholder(value) || /^(?:wi-?fi[_ -]?)?pass(?:word|phrase|wd)?$/i.test(value)
}
