/** Passwords behind the short options of command-line tools: `curl -u name:password`, `mysql -pSecret`, `sshpass -p secret`. */
import { classAt, SPACE } from './character-classes.ts'
import type { Finding } from './finding.ts'
import { isPlaceholder } from './randomness.ts'

const USER_PASSWORD =
  /-{1,2}(?:u|user|proxy-user|basic-auth|creds|auth|a|U)[ =]{1,2}["']?([^\s:"']{0,64}[:%])([^\s"']{1,128})/y
const GLUED = /-p["']?([^\s"']{4,128})/y
/** `openssl enc -k secret`. */
const OPENSSL = /-(?:k|K|pass|passin|passout)[ =]["']?(?:pass:)?([^\s"'-][^\s"']{2,127})/y
const HTPASSWD = /-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s\S{1,128}\s["']?[^\s"':]{1,64}["']?\s["']?([^\s"'\\]{3,127})/y
const SEPARATE = /-{1,2}(?:p|P|w|a|pass|passin|passout|requirepass)[ =]["']?(?:pass:)?([^\s"'-][^\s"']{2,127})/y

/** The option takes a user and a password, the password glued to the letter, or the password as the next word. */
const TOOLS: readonly { readonly name: RegExp; readonly option: RegExp }[] = [
  {
    name: /(?:\b|\\[nrt])(?:curl|http|https|xh|wget|ab|smbclient|rpcclient|mosquitto_(?:pub|sub)|nats|grpcurl)\b/,
    option: USER_PASSWORD,
  },
  {
    name: /(?:\b|\\[nrt])(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mysqlimport|7za?|unrar|rar)\b/,
    option: GLUED,
  },
  {
    name: /(?:\b|\\[nrt])(?:sshpass|redis-cli|docker|podman|ldap(?:search|modify|add)|sqlcmd|bcp|mongo(?:sh|dump|restore)?|zip|unzip|ansible-vault|keytool|helm|7za?|az|oc|nmcli|mosquitto_(?:pub|sub)|wrk|isql|cqlsh|mqtt|snmpwalk)\b/,
    option: SEPARATE,
  },
  { name: /(?:\b|\\[nrt])openssl\b/, option: OPENSSL },
  { name: /(?:\b|\\[nrt])htpasswd\b/, option: HTPASSWD },
]
/** A password that another command writes: `echo x | docker login --password-stdin`, `--with-token <<< x`. */
const FROM_INPUT = /-{1,2}(?:password-stdin|passphrase-fd|pass-stdin|with-token|stdin)\b/y
const WRITTEN = /(?:echo|printf)\s(?:-[ne]\s)?\\{0,7}["']?([^\s"'|\\]{4,256})\\{0,7}["']?\s?\|[^|]{0,100}$/
const HERE_STRING = /\s?<<<\s?["']?([^\s"'\\]{4,256})/y
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
  return findFromInput(text, at)
}

function findFromInput(text: string, at: number): Finding | undefined {
  FROM_INPUT.lastIndex = at
  if (!FROM_INPUT.test(text)) return undefined
  HERE_STRING.lastIndex = FROM_INPUT.lastIndex
  const here = HERE_STRING.exec(text)?.[1]
  if (here !== undefined) return credential(HERE_STRING.lastIndex - here.length, here)
  const command = commandBefore(text, at)
  const written = WRITTEN.exec(command)
  const value = written?.[1]
  if (written === null || value === undefined) return undefined
  return credential(at - command.length + written.index + written[0].indexOf(value, 5), value)
}

function credential(start: number, value: string): Finding | undefined {
  if (isPlaceholder(value) || /^[$/.~]/.test(value)) return undefined
  return { kind: 'KEY', start, end: start + value.length, rule: 'shell-credential' }
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
