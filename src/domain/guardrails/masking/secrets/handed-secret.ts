/**
 * Secrets that a command is handed beside its options: `gh secret set NAME <<< ...`, `echo ... | gh secret set NAME`, `chpasswd <<< "bob:..."`,
 * `echo ... | passwd --stdin bob`, `net use Z: \\host\share ... /user:bob`. Where none stands there, other rules look at the word.
 */
import { unitAt } from '../character-classes.ts'
import type { Finding } from '../finding.ts'
import { isPlaceholder } from './randomness.ts'
import { USER } from './router-credential.ts'

const WINDOW = 200
const QUOTE = String.raw`\\{0,7}["']`
/** Up to a blank or a quote; no variable. */
const BARE = String.raw`(?<value>(?!\$[A-Za-z_{(])[^\s"'\\|<>]{4,256})`
const VALUE = String.raw`(?:(?<quote>${QUOTE})(?<value>(?:(?!\k<quote>)[^\n]){4,256})\k<quote>|${BARE})`
/** Programs that hand a secret to a store. */
const STORES = '(?:gh|wrangler|fly|flyctl|glab|doppler|docker|podman)'
/** Before `secret` or `secrets`. */
const STORE = new RegExp(String.raw`(?:^|[\s;&|"'\x60]|\\[nrt])${STORES} $`)
const SET = String.raw` (?:set|put|create) (?:[^\n|;&<]{0,100} )?`
const BEHIND_SET = [
  `${SET}(?:--body[ =]|-b[ =]?)${VALUE}`,
  `${SET}<<< ?${VALUE}`,
  String.raw`${SET}[A-Z]\w{1,63}=${VALUE}`,
].map((pattern) => new RegExp(pattern, 'dy'))
/** AWS's `--secret-string`; what stands in JSON is found by its names. */
const SECRET_STRING = new RegExp(String.raw`-string[ =](?!(?:${QUOTE})?(?:\{|\[|file:|\\{1,7}["'{]))${VALUE}`, 'dy')
const WRITTEN = String.raw`(?:echo|printf)\s(?:-[neE]{1,2}\s)?(?:\\{0,7}["']?%s(?:\\n)?\\{0,7}["']?\s)?(?:${QUOTE})?`
const PIPE = String.raw`(?:${QUOTE})?\s?\|\s?(?:sudo\s)?`
const PIPED = new RegExp(`${WRITTEN}${BARE}${PIPE}${STORES} $`, 'd')
/** `echo -e "new\nnew" | passwd bob`, and `echo bob:new | chpasswd`, of letters only. */
const PIPED_TWICE = new RegExp(
  String.raw`${WRITTEN}(?<value>(?!\$)(?<once>[^\s"'\\|<>]{4,128})\\{1,7}n\k<once>)(?:\\{1,7}n)?${PIPE}$`,
  'd',
)
const PIPED_NAMED = new RegExp(String.raw`${WRITTEN}[\w.-]{1,64}:${BARE}(?:\\{1,7}n)?${PIPE}(?:/usr)?(?:/sbin/)?$`, 'd')
const HERE_NAMED = new RegExp(String.raw`(?: -[ecm])? ?<<< ?(?:${QUOTE})?[\w.-]{1,64}:${BARE}`, 'dy')
const NET_USE = /(?:^|[\s"'`>&|;]|\\[nrt])net1?(?:\.exe)? use [^\n]{1,160}\/$/i
const SHARE = new RegExp(
  String.raw` \\{2,16}[\w.$\\-]{1,120} (?:${QUOTE})?(?<value>[^\s"'\\/*]{4,64})(?:${QUOTE})? \/$`,
  'di',
)
const BEHIND_NAME = new RegExp(String.raw`:[\w.@+\\-]{1,80} (?:${QUOTE})?(?<value>[^\s"'\\/*]{4,64})`, 'diy')

/** `rabbitmqctl add_user bob secret`, `wpa_passphrase Home secret`. */
const RABBIT = /(?:^|[\s;&|"'`/]|\\[nrt])rabbitmqctl (?:-{1,2}\S{1,64} (?:[^\s-]\S{0,64} )?){0,3}$/
const WPA = /(?:^|[\s;&|"'`/>]|\\[nrt])$/
const BEHIND_OTHER = new RegExp(
  String.raw` (?:(?<other>${QUOTE})[^"'\\\n]{1,64}\k<other>|[^\s"'\\-][^\s"'\\]{0,63}) (?!(?:${QUOTE})?(?:new)?pass(?:word|phrase|wd)?(?![\w-]))${VALUE}`,
  'dy',
)

/** The one that the word `[start, end)` stands beside. */
export function findHandedSecret(text: string, start: number, end: number): Finding | undefined {
  const word = text.slice(start, end).toLowerCase()
  const before = text.slice(Math.max(0, start - WINDOW), start)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const from = start - line.length
  if (word === 'secret' || word === 'secrets') {
    if (line.endsWith(' --')) return behind(SECRET_STRING, text, end)
    if (!STORE.test(line)) return undefined
    for (const pattern of BEHIND_SET) {
      const finding = behind(pattern, text, end)
      if (finding !== undefined) return finding
    }
    return within(PIPED, line, from)
  }
  if (word === 'add_user' || word === 'change_password')
    return RABBIT.test(line) ? behind(BEHIND_OTHER, text, end) : undefined
  if (word === 'wpa_passphrase') return WPA.test(line) ? behind(BEHIND_OTHER, text, end) : undefined
  if (word === 'chpasswd') return behind(HERE_NAMED, text, end) ?? within(PIPED_NAMED, line, from)
  if (word === 'passwd' || word === 'smbpasswd') return within(PIPED_TWICE, line, from)
  if (word !== USER || unitAt(text, end) !== 0x3a || !NET_USE.test(line)) return undefined
  return within(SHARE, line, from) ?? behind(BEHIND_NAME, text, end)
}

function behind(pattern: RegExp, text: string, at: number): Finding | undefined {
  pattern.lastIndex = at
  return findingOf(pattern.exec(text), 0)
}

function within(pattern: RegExp, line: string, from: number): Finding | undefined {
  return findingOf(pattern.exec(line), from)
}

function findingOf(match: RegExpExecArray | null, from: number): Finding | undefined {
  const place = match?.indices?.groups?.['value']
  const value = match?.groups?.['value']
  if (place === undefined || value === undefined || isPlaceholder(value)) return undefined
  return { kind: 'KEY', start: from + place[0], end: from + place[1], rule: 'handed-secret' }
}
