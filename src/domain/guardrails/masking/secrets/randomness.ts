/** Whether a text looks generated: judgements on one short string, all linear in its length. */
import { ALPHANUMERIC, ANY_HEX, classAt, DIGIT, LETTER, LOWER, UPPER } from '../character-classes.ts'

/** What the judgements look at; a secret shows itself early. */
const LONGEST_JUDGED = 512

/** A digit in a word stands for a letter there (`my5ql`, `the0ne`), as in passwords. */
const PLACEHOLDER_WORDS =
  /(?:^|[^a-z])(?:(?:your|my|our|the|some|any)(?!\d[a-z])|example|examples|placeholder|change[-_ ]?me|change[-_ ]?it|dummy|fake|sample|redacted|masked|hidden|todo|tbd|insert|replace(?:[-_]?(?:me|this|with))?|enter|here|foo(?:bar)?|xxx+|yyy+|zzz+|none|null|undefined|empty|secret[-_]here|goes)(?:[^a-z$]|$)/i
const PLACEHOLDER_SIGNS = /[xX]{5,}|\*{3,}|\.{3}|\u2026|#{4,}|_{4,}|\?{3,}|\u2022{2,}/
const TEMPLATE =
  /^(?:<[^<>]{0,80}>|\[[^[\]]{1,80}\]|\{[^{}]{0,80}\}|%[A-Za-z_]\w{0,60}%|%[sdv]|(?:&lt;|&#60;|&#[xX]3[cC];)(?:[A-Za-z |_-]{0,80}(?:>|&gt;|&#62;|&#[xX]3[eE];)|(?:your|string|text|password|token|secret)\b)|%\([\w.]{1,60}\)s|:[a-z_]{2,40}|__[A-Za-z_]{2,60}__)$/
const VARIABLE = /\$\{|\{\{|#\{|\$\(|^!\w+$|<%|%\{|^@[A-Za-z_]\w*(?:\.\w+)*$|^\$env:|LLM_REDACTED_/

const VARIABLE_NAME = /^\$[A-Za-z_]\w*$/
/** What passwords begin with where `$` is their `s`: what is left of these words begins no name. */
const WITH_DOLLAR =
  /^(?:super|secret|secur|summer|spring|strong|sunshine|shadow|soccer|silver|samsung|sunday|saturday|september|school|system|simple|server|service|spider|swordfish|sesame|starwars)/
const SIGNS_FOR_LETTERS: Readonly<Record<string, string>> = { $: 's', 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }
const PASSWORD_WORDS = ['password', 'secret', 'admin', 'welcome', 'qwerty', 'letmein']
/** As chance makes them. */
const THREE_NUMBERS = /^\$(?=\w*[a-z])(?=\w*[A-Z])(?:[A-Za-z]+\d+){3}/

/** Whether a text is `$NAME`, and no password that begins with `$`: `$uperSecret`, `$Passw0rd`. */
function isVariable(value: string): boolean {
  if (!VARIABLE_NAME.test(value) || THREE_NUMBERS.test(value)) return false
  const written = value.toLowerCase()
  const read = written.replaceAll(/[$013457]/g, (sign) => SIGNS_FOR_LETTERS[sign] ?? sign)
  return !WITH_DOLLAR.test(read) && !PASSWORD_WORDS.some((word) => read.includes(word) && !written.includes(word))
}

/** Whether a text stands for a secret without being one: `<your-api-key>`, `${TOKEN}`, `sk-xxxxxxxx`, `changeme`. */
export function isPlaceholder(value: string): boolean {
  const judged = value.length > LONGEST_JUDGED ? value.slice(0, LONGEST_JUDGED) : value
  if (TEMPLATE.test(judged) || VARIABLE.test(judged) || isVariable(judged) || PLACEHOLDER_SIGNS.test(judged))
    return true
  if (isRepetitive(judged)) return true
  return PLACEHOLDER_WORDS.test(judged) && !hasGeneratedRun(judged, 12)
}

/** Characters that forms are filled with. */
const FILLERS = 'xX*0.-_#?'

/** Two thirds of the characters are one and the same, or there are at most two different ones. */
function isRepetitive(value: string): boolean {
  const kinds = countDifferent(value)
  if (kinds === 1 || (kinds === 2 && value.length >= 8)) return !/[a-wyz1-9]/i.test(value) || value.length < 12
  const unit = majorityOf(value)
  if (!FILLERS.includes(String.fromCharCode(unit))) return false
  let count = 0
  for (let index = 0; index < value.length; index++) if (value.charCodeAt(index) === unit) count++
  return count * 3 > value.length * 2
}

/** How many different characters there are: 0, 1, 2, or 3 for more. */
function countDifferent(value: string): number {
  let first = -1
  let second = -1
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index)
    if (unit === first || unit === second) continue
    if (second >= 0) return 3
    if (first < 0) first = unit
    else second = unit
  }
  return first < 0 ? 0 : second < 0 ? 1 : 2
}

/** The character that more than half are, where there is one (the vote of Boyer and Moore); else any. */
function majorityOf(value: string): number {
  let unit = 0
  let votes = 0
  for (let index = 0; index < value.length; index++) {
    if (votes === 0) unit = value.charCodeAt(index)
    votes += value.charCodeAt(index) === unit ? 1 : -1
  }
  return unit
}

/** A run of at least `length` letters and digits that has both, or changes case as generated text does. */
export function hasGeneratedRun(value: string, length: number): boolean {
  for (let start = 0; start < value.length;) {
    let end = start
    let bits = 0
    let changes = 0
    while (end < value.length && (classAt(value, end) & ALPHANUMERIC) !== 0) {
      const bit = classAt(value, end) & (LETTER | DIGIT)
      if (end > start && (bit & LOWER) !== 0 && (classAt(value, end - 1) & (UPPER | DIGIT)) !== 0) changes++
      bits |= bit
      end++
    }
    if (end - start >= length && isGenerated(bits, changes, end - start)) return true
    start = end + 1
  }
  return false
}

function isGenerated(bits: number, changes: number, length: number): boolean {
  if ((bits & DIGIT) !== 0) return (bits & LETTER) !== 0 || length >= 16
  return length >= 20 && ((bits & LETTER) === LETTER ? changes >= 3 && changes * 6 >= length : length >= 24)
}

/** Shannon entropy, bits per character. */
export function entropyOf(value: string): number {
  const judged = value.slice(0, LONGEST_JUDGED)
  const counts = new Map<string, number>()
  for (const character of judged) counts.set(character, (counts.get(character) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / judged.length) * Math.log2(count / judged.length)
  return entropy
}

/** Beside the classes LOWER, UPPER and DIGIT, which are its lower bits: what is none of these. */
export const OTHER = 8

/** Which kinds of characters a text has: LOWER, UPPER, DIGIT and OTHER, as bits. */
export function kindsOfCharacters(value: string): number {
  let bits = 0
  for (let index = 0; index < value.length; index++) bits |= classAt(value, index) & (LETTER | DIGIT) || OTHER
  return bits
}

/** How many kinds of characters `kindsOfCharacters` found. */
export function countKinds(bits: number): number {
  return (bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1) + ((bits >> 3) & 1)
}

/** Only hexadecimal digits. */
export function isHex(value: string): boolean {
  for (let index = 0; index < value.length; index++) if ((classAt(value, index) & ANY_HEX) === 0) return false
  return value.length > 0
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: string): boolean {
  return value.length === 36 && UUID.test(value)
}

/**
 * An abbreviation with a number, then words: `PKCS12DecoderContext`, `openAPIV2Handler`, `Uint8Array`, `x509Credential`,
 * `PKCS12CertAndCRLBag`; words, some with a number, of which the last says what kind of thing it is: `testEd25519PrivateKey`.
 */
const KIND_OF_THING =
  '(?:Auth|Bag|Cert|Certificate|Class|Client|Config|Context|Credential|Data|Error|Factory|Given|Handler|Index|Info|Key|Manager|Method|Mode|Name|Options|Param|Params|Provider|Request|Response|Result|Service|Session|Signature|State|Token|Type)s?'
const NAME_OF_CODE = new RegExp(
  [
    '[a-z]*[A-Z][A-Za-z]{0,7}\\d{1,2}(?:[A-Z][a-z]+){2,}',
    '[a-z]*[A-Z][A-Za-z]{0,7}\\d{1,2}(?:[A-Z]{2,4}(?=[A-Z][a-z]))?(?:[A-Z][a-z]{2,}(?:[A-Z]{2,4}(?=[A-Z][a-z]))?){2,}',
    '(?:[Uu]?[Ii]nt|Big(?:Ui|I)nt|[Ff]loat|[Ss]ha|[Uu]tf|[Bb]ase|[Hh]ttp|[Oo][Aa]uth|[Xx](?=509))\\d{1,3}(?:[A-Z][a-z]+)+',
    `(?:[a-z]{2,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,}){0,6}(?:[A-Z]{0,5}[a-z]{0,4}\\d{1,5})(?:[A-Z][a-z]{2,}){0,3}${KIND_OF_THING}`,
    `(?:[a-z]{3,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,}){1,9}${KIND_OF_THING}`,
  ]
    .map((form) => `^(?:${form})$`)
    .join('|'),
)

/** Words with a capital each, and a few numbers; each goes on in small letters, which chance seldom makes. */
const WORD_OF_CODE = '(?:[A-Z]{1,5}[a-z]{2,}|(?:Of|In|To|On|By|As|At|Is|No|Or|If|Up|Id|My)(?=[A-Z]))'
const WORDS_OF_CODE = new RegExp(
  String.raw`^[*&]?[a-z]*${WORD_OF_CODE}+(?:[A-Z]{0,5}\d{1,4}[a-z]{0,5}${WORD_OF_CODE}*){0,3}$`,
)

/** Whether a value is words of a program, with at most two capitals among seven letters: `BetaCredentialParams`, `signalShutdownV2`. */
export function isWordsOfCode(value: string): boolean {
  if (value.length > LONGEST_JUDGED || !WORDS_OF_CODE.test(value)) return false
  const capitals = value.match(/[A-Z]/g)?.length ?? 0
  const letters = value.match(/[A-Za-z]/g)?.length ?? 0
  return capitals >= 2 && letters >= 12 && capitals * 7 <= letters * 2
}

/** Whether letters and digits are a name as programs have them: chance makes none. */
export function isNameOfCode(value: string): boolean {
  return NAME_OF_CODE.test(value)
}
