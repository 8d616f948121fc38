/** Passwords behind the short options of command-line tools: `curl -u name:password`, `mysql -pSecret`, `sshpass -p secret`. */
import { classAt, SPACE } from './character-classes.ts'
import type { Finding } from './finding.ts'
import { isPlaceholder } from './randomness.ts'

const USER_PASSWORD =
  /-{1,2}(?:u|user|proxy-user|basic-auth|creds|auth|a|U)[ =]{1,2}["']?([^\s:"']{0,64}[:%])([^\s"']{1,128})/y
const GLUED = /-p["']?([^\s"']{4,128})/y
const SEPARATE = /-{1,2}(?:p|P|w|a|pass|passin|passout|requirepass)[ =]["']?(?:pass:)?([^\s"'-][^\s"']{2,127})/y

/** The option takes a user and a password, the password glued to the letter, or the password as the next word. */
const TOOLS: readonly { readonly name: RegExp; readonly option: RegExp }[] = [
  {
    name: /\b(?:curl|http|https|xh|wget|ab|smbclient|rpcclient|mosquitto_(?:pub|sub)|nats|grpcurl)\b/,
    option: USER_PASSWORD,
  },
  { name: /\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mysqlimport|7za?|unrar|rar)\b/, option: GLUED },
  {
    name: /\b(?:sshpass|redis-cli|docker|podman|ldap(?:search|modify|add)|sqlcmd|bcp|mongo(?:sh|dump|restore)?|zip|unzip|openssl|ansible-vault|keytool|helm|az|oc|nmcli|mosquitto_(?:pub|sub)|wrk|isql|cqlsh|mqtt|snmpwalk)\b/,
    option: SEPARATE,
  },
]
const COMMAND_WINDOW = 240

/** The credential of the option whose first dash is at `at`. */
export function findShellCredential(text: string, at: number): Finding | undefined {
  for (const { name, option } of TOOLS) {
    option.lastIndex = at
    const match = option.exec(text)
    const value = match?.at(-1)
    if (match === null || value === undefined || !name.test(commandBefore(text, at))) continue
    if (isPlaceholder(value) || /^[$/.~]/.test(value)) continue
    const start = at + match[0].length - value.length
    if (isPlainPort(value) || (classAt(text, start) & SPACE) !== 0) continue
    return { kind: 'KEY', start, end: start + value.length, rule: 'shell-credential' }
  }
  return undefined
}

/** The line up to the option, and the line before where a backslash joins them. */
function commandBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - COMMAND_WINDOW), at)
  let line = before.lastIndexOf('\n')
  while (line > 0 && before[line - 1] === '\\') line = before.lastIndexOf('\n', line - 1)
  return before.slice(line + 1)
}

/** `-p 8080:80`, `-p 22`, `-pre`, `-a always`: ports, and short words of letters only. */
function isPlainPort(value: string): boolean {
  return /^[\d.:/-]{1,24}(?:tcp|udp)?$/.test(value) || /^[a-z]{1,12}$/.test(value)
}
