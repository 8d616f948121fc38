/** Passwords behind the short options of command-line tools: `curl -u name:password`, `mysql -pSecret`, `sshpass -p secret`. */
import { classAt, SPACE } from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { isPlaceholder } from './randomness.ts'
import { isSecretPassword } from './uri-credential.ts'

/** A quote, in JSON an escaped one. */
const QUOTE = String.raw`(?<quote>\\{0,7}["'])?`
const INNER_QUOTE = QUOTE.replace('quote', 'inner')
/** Up to a blank or quote, in JSON up to an escaped one. */
const BARE = String.raw`(?:[^\s"'\\]|\\(?!\\{0,6}["'nrt]))`
const NO_DASH = String.raw`(?:[^\s"'\\-]|\\(?!\\{0,6}["'nrt]))`

const USER_PASSWORD = new RegExp(
  String.raw`-{1,2}(?:u|user|proxy-user|basic-auth|creds|auth|a|U)[ =]{1,2}${QUOTE}(?<user>[^\s:"']{0,64})[:%]${INNER_QUOTE}(?<value>${BARE}{1,128})`,
  'y',
)
/** `-sSu bob:secret`, `-ubob:secret`: behind letters of options without a value, or glued. */
const GLUED_USER = new RegExp(
  String.raw`-[sSkLfiIvgGnNj#46]{0,8}[uU][ ]?${QUOTE}(?<user>[\w.@+%\\-]{1,64}):${INNER_QUOTE}(?<value>${BARE}{1,128})`,
  'y',
)
/** `lftp -u bob,secret`. */
const USER_COMMA = new RegExp(
  String.raw`-{1,2}u(?:ser)?[ =]${QUOTE}(?<user>[^\s:,"']{1,64}),${INNER_QUOTE}(?<value>${BARE}{1,128})`,
  'y',
)
const NEW_PASSPHRASE = new RegExp(`-[NP] ${QUOTE}(?<value>${NO_DASH}${BARE}{0,127})`, 'y')
const GLUED = new RegExp(
  `-p(?!ort\\b|rotocol|ass(?:in|out|wd|word|phrase)\\b|ath\\b|refix\\b|r(?:ogress|int|etty|oject))${QUOTE}(?<value>${BARE}{1,128})`,
  'y',
)
/** `openssl enc -k secret`. */
const OPENSSL = new RegExp(`-(?:k|K|pass|passin|passout)[ =]${QUOTE}(?:pass:)?(?<value>${NO_DASH}${BARE}{0,127})`, 'y')
/** `openssl rsa -passin pass:secret`. */
const OPENSSL_PASS = new RegExp(
  `-(?:pass|passin|passout|password|passwd)[ =]${QUOTE}pass:(?<value>${BARE}{1,128})`,
  'y',
)
/** `zip -rP secret`, `unzip -Psecret`. */
const ZIP = new RegExp(`-[a-zA-OQ-Z0-9]{0,8}P ?${QUOTE}(?<value>${NO_DASH}${BARE}{0,127})`, 'y')
const KEYTOOL = new RegExp(
  `-(?:(?:src|dest)?(?:store|key)pass|new|passwd)[ ]${QUOTE}(?<value>${NO_DASH}${BARE}{0,127})`,
  'y',
)
/** `ldapsearch -w secret`, `-wsecret`. */
const SMALL_W = new RegExp(`-w ?${QUOTE}(?<value>${NO_DASH}${BARE}{0,127})`, 'y')
const HTPASSWD = new RegExp(
  String.raw`-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s\S{1,128}\s["']?[^\s"':]{1,64}["']?\s${QUOTE}(?<value>${BARE}{1,127})`,
  'y',
)
const VALUE_OPTION = new RegExp(`--value[ =]${QUOTE}(?<value>${NO_DASH}${BARE}{0,127})`, 'y')
const SNMP = new RegExp(`-[AX] ${QUOTE}(?<value>${NO_DASH}${BARE}{7,127})`, 'y')
const SEPARATE = new RegExp(
  `-{1,2}(?:p|P|w|a|pass|passin|passout|requirepass)[ =]${QUOTE}(?:pass:)?(?<value>${NO_DASH}${BARE}{0,127})`,
  'y',
)
/** Of a password that stands alone. */
const SHORTEST = 3
const LOGIN_OF_CONTAINERS =
  /^(?=[^]*\blogin\b)[^]*(?:\b|\\[nrt])(?:docker|podman|buildah|skopeo|nerdctl|crane)\s[^|;&]*\blogin\b/

/**
 * The option takes a user and a password, the password glued to the letter, or the password as the next word. `sure`: behind this it
 * takes nothing else, so that a word of letters is one as well.
 */
const TOOLS: readonly { readonly name: RegExp; readonly option: RegExp; readonly sure?: RegExp }[] = [
  {
    name: /(?:\b|\\[nrt])(?:curl|http|https|xh|wget|ab|smbclient|rpcclient|mosquitto_(?:pub|sub)|nats|grpcurl|etcdctl)\b/,
    option: USER_PASSWORD,
  },
  { name: /(?:\b|\\[nrt])curl\b/, option: GLUED_USER },
  {
    name: /(?:\b|\\[nrt])(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mysqlimport)\b/,
    option: GLUED,
    sure: /\s-{1,2}u[^|;&\n]*$|\bsshpass\s$/,
  },
  { name: /(?:(?<![.\w-])|\\[nrt])(?:7z[ar]?|unrar|rar)\s/, option: GLUED, sure: /$/ },
  { name: /(?:(?<![.\w-])|\\[nrt])(?:un)?zip(?:cloak)?\s/, option: ZIP },
  { name: /(?:\b|\\[nrt])(?:keytool|jarsigner)\b/, option: KEYTOOL, sure: /$/ },
  {
    name: /(?:\b|\\[nrt])(?:ldap(?:search|modify|add|delete|passwd|whoami|compare)|security add-(?:generic|internet)-password)\b/,
    option: SMALL_W,
    sure: /$/,
  },
  {
    name: /(?:\b|\\[nrt])(?:sshpass|psexec|redis-cli|sqlcmd|bcp|mongo(?:sh|dump|restore)?|ansible-vault|helm|az|oc|nmcli|mosquitto_(?:pub|sub)|wrk|isql|cqlsh|mqtt|snmpwalk|rdesktop|oras|twine|ipmitool|hydra|medusa|evil-winrm|crackmapexec|netexec|nxc|esxcli|nuget)\b/,
    option: SEPARATE,
    sure: /\b(?:sshpass|redis-cli(?:\s-[hpn]\s[\w.-]{1,64}){0,3})\s$|\s-{1,2}(?:u|U|user|username)[ =](?!-|user(?:name)?\s)\S+\s(?:-[SH] \S+\s)?$/,
  },
  { name: /(?:\b|\\[nrt])lftp\b/, option: USER_COMMA },
  { name: /(?:\b|\\[nrt])ssh-keygen\b/, option: NEW_PASSPHRASE, sure: /$/ },
  // Elsewhere `-p` is a port, a project, `-w` a folder.
  { name: LOGIN_OF_CONTAINERS, option: SEPARATE, sure: /\s-{1,2}(?:u|username)[ =](?!-|user(?:name)?\s)\S+\s$/ },
  { name: LOGIN_OF_CONTAINERS, option: GLUED },
  {
    name: /\baz\s+keyvault\s+secret\s+set\b|\baws\s+ssm\s+put-parameter\b(?=[^|;&]*\bSecureString\b)/,
    option: VALUE_OPTION,
    sure: /$/,
  },
  { name: /(?:\b|\\[nrt])snmp(?:get|getnext|walk|bulkget|bulkwalk|set|table|trap)\b/, option: SNMP },
  { name: /(?:\b|\\[nrt])openssl\b/, option: OPENSSL_PASS, sure: /$/ },
  { name: /(?:\b|\\[nrt])openssl\b/, option: OPENSSL },
  { name: /(?:\b|\\[nrt])htpasswd\b/, option: HTPASSWD, sure: /$/ },
]
/** A password that another command writes: `echo x | docker login --password-stdin`, `--with-token <<< x`. */
const FROM_INPUT = /-{1,2}(?:password-stdin|passphrase-fd|pass-stdin|with-token|stdin|data-file=-)(?![\w-])/y
/** `echo x | sudo -S ls`. */
const SUDO = /-[a-zA-Z]{0,3}S(?=\s|$)/y
const WRITTEN_TO_SUDO =
  /(?:echo|printf)\s(?:-[ne]\s)?\\{0,7}["']?([^\s"'|\\]{4,256})\\{0,7}["']?\s?\|\s?sudo\s(?:-[a-zA-Z]\s){0,2}$/
const WRITTEN = /(?:echo|printf)\s(?:-[ne]\s)?\\{0,7}["']?([^\s"'|\\]{4,256})\\{0,7}["']?\s?\|[^|]{0,100}$/
const HERE_STRING = /\s?<<<\s?["']?([^\s"'\\]{4,256})/y
const COMMAND_WINDOW = 240

/** The credential of the option whose first dash is at `at`. */
export function findShellCredential(text: string, at: number): Finding | undefined {
  for (const { name, option, sure } of TOOLS) {
    option.lastIndex = at
    const match = option.exec(text)
    const value = match?.groups?.['value']
    if (match === null || value === undefined) continue
    const command = commandBefore(text, at)
    if (!name.test(command)) continue
    const { inner, quote = inner, user } = match.groups ?? {}
    const start = option.lastIndex - value.length
    const whole = text.slice(start, quote === undefined ? option.lastIndex : endOfQuoted(text, option.lastIndex, quote))
    if (isLeft(whole) || (classAt(text, start) & SPACE) !== 0) continue
    if (user === undefined ? isNoPassword(whole, sure?.test(command) === true) : isExample(user, whole)) continue
    return credential(start, whole)
  }
  return findSecureString(text, at) ?? findFromInput(text, at)
}

const REMOTE_DESKTOP = /(?:\b|\\[nrt])(?:[xw]l?freerdp3?|sdl-freerdp3?|cmdkey|mstsc)\b/
const BEHIND_COLON = new RegExp(`:${QUOTE}(?<value>${BARE}{1,128})`, 'y')

/** `xfreerdp /u:bob /p:secret`; `at` is the colon. */
export function findSlashCredential(text: string, at: number): Finding | undefined {
  BEHIND_COLON.lastIndex = at
  const { quote, value } = BEHIND_COLON.exec(text)?.groups ?? {}
  if (value === undefined || !REMOTE_DESKTOP.test(commandBefore(text, at))) return undefined
  const end = BEHIND_COLON.lastIndex
  const start = end - value.length
  const whole = text.slice(start, quote === undefined ? end : endOfQuoted(text, end, quote))
  return isLeft(whole) ? undefined : credential(start, whole)
}

/** A path, a variable, a place to take a password from, or what stands for one. */
function isLeft(value: string): boolean {
  return /^(?:[/.~]|(?:env|file|fd):|\$(?:[A-Z_]+\b|[\d@*(]))/.test(value) || isPlaceholder(value)
}

const LONGEST_QUOTED = 128

/** Where the quote closes that was open at `at`; `at` where it does not on this line. */
function endOfQuoted(text: string, at: number, quote: string): number {
  const line = /^[^\n]*/.exec(text.slice(at, at + LONGEST_QUOTED))?.[0] ?? ''
  for (let close = line.indexOf(quote); close >= 0; close = line.indexOf(quote, close + 1))
    if (line[close - 1] !== '\\') return at + close
  return at
}

function isExample(user: string, password: string): boolean {
  return !isSecretPassword(user, password) || isPort(password)
}

/** Ports, and in other places than one for passwords alone short words. */
function isNoPassword(value: string, isSure: boolean): boolean {
  return value.length < SHORTEST || isPort(value) || (!isSure && /^[a-z]{1,12}$/.test(value))
}

/** PowerShell's `ConvertTo-SecureString "..." -AsPlainText`, with its arguments in any order. */
const AS_PLAIN_TEXT = /-AsPlainText\b(?:\s-(?:Force|String)\b){0,2}(?:\s(\\{0,7}["'])([^"'\n]{1,128}?)\1)?/iy
const SECURE_STRING =
  /ConvertTo-SecureString\s(?:-(?:Force|String)\s){0,2}(\\{0,7}["'])([^"'\n]{1,128}?)\1\s(?:-Force\s)?$/i

function findSecureString(text: string, at: number): Finding | undefined {
  AS_PLAIN_TEXT.lastIndex = at
  const option = AS_PLAIN_TEXT.exec(text)
  if (option === null) return undefined
  const command = commandBefore(text, at)
  const [written = '', quote = '', value] = SECURE_STRING.exec(command) ?? []
  if (value !== undefined) {
    const start = at - written.length + written.indexOf(quote + value) + quote.length
    return isLeft(value) ? undefined : credential(start, value)
  }
  const behind = option[2]
  if (behind === undefined || isLeft(behind) || !/ConvertTo-SecureString\s[^|;]*$/i.test(command)) return undefined
  return credential(AS_PLAIN_TEXT.lastIndex - (option[1] ?? '').length - behind.length, behind)
}

function findFromInput(text: string, at: number): Finding | undefined {
  SUDO.lastIndex = at
  if (SUDO.test(text)) return findWritten(text, at, WRITTEN_TO_SUDO)
  FROM_INPUT.lastIndex = at
  if (!FROM_INPUT.test(text)) return undefined
  HERE_STRING.lastIndex = FROM_INPUT.lastIndex
  const here = HERE_STRING.exec(text)?.[1]
  if (here !== undefined) return isLeft(here) ? undefined : credential(HERE_STRING.lastIndex - here.length, here)
  return findWritten(text, at, WRITTEN)
}

function findWritten(text: string, at: number, pattern: RegExp): Finding | undefined {
  const command = commandBefore(text, at)
  const written = pattern.exec(command)
  const value = written?.[1]
  if (written === null || value === undefined || isLeft(value)) return undefined
  return credential(at - command.length + written.index + written[0].indexOf(value, 5), value)
}

function credential(start: number, value: string): Finding {
  return { kind: 'KEY', start, end: start + value.length, rule: 'shell-credential' }
}

/** The line up to the option from the last `&&` on that is in no quotes, and the line before where a backslash joins them. */
function commandBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - COMMAND_WINDOW), at)
  let line = before.lastIndexOf('\n')
  while (line > 0 && /\\\r?$/.test(before.slice(Math.max(0, line - 2), line))) line = before.lastIndexOf('\n', line - 1)
  return lastCommand(before.slice(line + 1))
}

/** Where quotes are open `&&` and `||` are an argument's: `-e 'select a || b' -p...`. */
function lastCommand(line: string): string {
  const parts = line.split(/(?<= (?:&&|\|\|)) /)
  let command = parts.pop() ?? ''
  while (parts.length > 0 && hasOpenQuote(command)) command = `${parts.pop()} ${command}`
  return command
}

/** Within quotes of one kind the other is a sign: `"don't"`. */
function hasOpenQuote(text: string): boolean {
  return /["']/.test(text.replace(/"[^"]*"|'[^']*'/g, ''))
}

/** `-p 8080:80`, `-p 22`. */
function isPort(value: string): boolean {
  return /^[\d.:/-]{1,24}(?:tcp|udp)?$/.test(value)
}
