/**
 * Secrets that only their place among a call's arguments tells of: `jwt.sign(payload, '...')`, `getConnection(url, "scott", "...")`,
 * `new PDO($dsn, 'root', '...')`, `createHmac('sha256', '...')`.
 */
import type { Finding } from '../finding.ts'
import { isNamed } from '../secrets/made-up-value.ts'
import { findSecretIn } from './telling-secret.ts'

const QUOTE = String.raw`\\{0,7}["']`
const TEXT = String.raw`[bru]?${QUOTE}[^"'\\\n]{0,256}${QUOTE}`
const SECRET = String.raw`[bru]?${QUOTE}(?<value>[^"'\\\n]{4,256})(?=${QUOTE})`
const BLANK = String.raw`(?:\s|\\{1,7}[nrt]){0,24}`
const ARGUMENT = String.raw`(?:${TEXT}|\{[^{}]{0,512}\}|[\w.$?!>-]{1,80}(?:\([^()]{0,80}\)|\[[^\[\]]{0,80}\])?)`
const NEXT = `${BLANK},${BLANK}`

/** By the name's end, the arguments that stand before the secret. */
const ARGUMENTS: readonly { readonly name: RegExp; readonly before: RegExp }[] = [
  {
    name: /(?:jwt|jsonwebtoken)$/i,
    before: behind(String.raw`\.(?:sign|verify|encode|decode)(?:Async|Sync)?\(${BLANK}${ARGUMENT}${NEXT}`),
  },
  { name: /getconnection$/i, before: behind(String.raw`\(${BLANK}(?:${ARGUMENT}${NEXT})?${TEXT}${NEXT}`) },
  {
    name: /(?:pdo|mysqli|mysqli?_p?connect|(?:mysqldb|pymysql)\.connect)$/i,
    before: behind(String.raw`\(${BLANK}${ARGUMENT}${NEXT}${ARGUMENT}${NEXT}`),
  },
  { name: /createhmac$/i, before: behind(String.raw`\(${BLANK}${ARGUMENT}${NEXT}`) },
]

function behind(before: string): RegExp {
  return new RegExp(before + SECRET, 'iy')
}

/** The secret among the arguments of the call, or of the method, of the name `[start, end)`. */
export function findCallCredential(text: string, start: number, end: number): Finding | undefined {
  const sign = text.charAt(end)
  if (sign !== '(' && sign !== '.') return undefined
  const name = text.slice(start, end)
  const before = ARGUMENTS.find((call) => call.name.test(name))?.before
  if (before === undefined) return undefined
  before.lastIndex = end
  const value = before.exec(text)?.groups?.['value']
  if (value === undefined || isNamed(value) || findSecretIn(value, name, 'password') === undefined) return undefined
  return { kind: 'KEY', start: before.lastIndex - value.length, end: before.lastIndex, rule: 'call-credential' }
}
