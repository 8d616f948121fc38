/** The password in a login of Oracle's tools and driver: `sqlplus scott/...@orcl`, `jdbc:oracle:thin:scott/...@//host:1521/x`. */
import type { Finding } from '../finding.ts'
import { isSecretPassword } from './uri-credential.ts'

/** They end the word that they begin with. */
export const ORACLE: readonly string[] = ['sqlplus', 'sqlldr', 'expdp', 'impdp', 'rman', 'thin', 'oci']

const LOGIN =
  /(?:(?:\s-\w{1,2}){0,3}\s(?:(?:target|auxiliary|userid)[ =])?|:)["']?(?<user>[\w$#]{1,30})\/(?<value>[^\s"'`@/]{1,64})(?=@|["']|\s|$)/y
/** A path, a word of the command. */
const OTHER = /^(?:nolog|as|\.|\$)/i

/** The password behind the name `[start, end)`. */
export function findOraclePassword(text: string, start: number, end: number): Finding | undefined {
  const name = text.slice(start, end).toLowerCase()
  if (!ORACLE.includes(name) || (name.length <= 4 && name !== 'rman' && !text.startsWith('oracle:', start - 7)))
    return undefined
  LOGIN.lastIndex = end
  const { user = '', value } = LOGIN.exec(text)?.groups ?? {}
  if (value === undefined || OTHER.test(value) || !isSecretPassword(user, value)) return undefined
  return { kind: 'KEY', start: LOGIN.lastIndex - value.length, end: LOGIN.lastIndex, rule: 'oracle-login' }
}
