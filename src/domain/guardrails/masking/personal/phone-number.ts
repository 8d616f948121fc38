/**
 * Telephone numbers as people write them: with a country code, in the forms of one country, and any seven to thirteen digits
 * behind a word that announces a number (`Tel.: 601 234 567`, `电话：13800138000`). Each pattern is bounded and begins at a digit, a
 * plus or a bracket; words are looked for only before what may be a number, so the whole is linear.
 *
 * Known limit: undivided national numbers and groups that many things are written in (`12 34 56 78`) need their word.
 */
import { windowedMatches, type Match } from '../windowed-matches.ts'
import { classAt, DIGIT, LETTER, skipBack, unitAt } from '../character-classes.ts'
import type { Finding } from '../finding.ts'

/** A blank that does not break the line. */
const B = '[ \\u00a0\\u202f]'
/**
 * Begins another number even behind digits and a blank, as in a row of them. A column of signed numbers (`+899184`, `+2.3456789`), a
 * time zone (`+1100`) and a date do not.
 */
const UNMISTAKABLE = String.raw`\+(?:[1-9]\d{9,14}(?!\d)|[1-9]\d{0,2}(?:[- \u00a0\u202f\u2010-\u2013(/]\(?\d|\.\d{1,5}\.\d))|\(\d|\d{3}[-.]\d{3}[-.]\d{4}|0\d(?:-\d\d){4}(?![-\d])`
/** No digit, word or sign of a longer number before; an escaped line break of JSON in a text is none. */
const START = String.raw`(?:(?<![\w.+/-])|(?<=\\[nrt]))(?:(?<!\d${B})|(?=${UNMISTAKABLE}))`

const SHAPES: readonly string[] = [
  // +49 (0)30 901820, 0044 7700 900123
  String.raw`(?:\+|00)[1-9](?:[ \u00a0\u202f./()\u2010-\u2013-]{0,3}\d){6,14}(?!\w)`,
  // 415-555-2671, (415) 555-2671, 1-415-555-2671
  String.raw`(?:1${B}?[-.]?${B}?)?(?:\(\d{3}\)${B}?|\d{3}[-. \u00a0\u202f])\d{3}[-. \u00a0\u202f]\d{4}(?![\w-])`,
  // 8 (495) 123-45-67
  String.raw`8[- \u00a0\u202f]?\(?\d{3}\)?[- \u00a0\u202f]\d{3}[- \u00a0\u202f]\d{2}[- \u00a0\u202f]\d{2}(?![\w-])`,
  // 020 7946 0958, 06-12-34-56-78, 030/901820, 03-1234-5678
  String.raw`0\d{1,4}[ \u00a0\u202f/-]\d{2,4}(?:[ \u00a0\u202f-]?\d{2,4}){1,3}(?![\w-])`,
  // 01.23.45.67.89, 0912.345.678, 0470/12.34.56
  String.raw`0\d{1,3}[./]\d{2,3}(?:\.\d{2,3}){1,3}(?![\w-]|\.\d)`,
  // (020) 7946 0958, (11) 91234-5678, 02)123-4567
  String.raw`\(0\d{1,4}\)${B}?\d{2,4}(?:[ \u00a0\u202f/-]?\d{2,4}){1,3}(?![\w-])`,
  String.raw`\(\d{2}\)${B}?\d{4,5}[- \u00a0\u202f]\d{4}(?![\w-])`,
  String.raw`0\d{1,2}\)${B}?\d{3,4}-\d{4}(?![\w-])`,
]
const WRITTEN = new RegExp(`${START}(?:${SHAPES.join('|')})`, 'g')

/** What may be a number behind its word. */
const GROUPS = new RegExp(
  String.raw`(?:(?<![\d+])|(?<=\\[nrt]))\+?\(?\d(?:[ \u00a0\u202f./()\u2010-\u2013-]{0,2}\d){6,12}(?![\d\w%])`,
  'g',
)
/** How far before a number its word is looked for. */
const WORD_WINDOW = 64

/** Words that stand with numbers of telephones only; the second list's say more than that and need eight digits. */
const NOUNS =
  'tel|telephone|telefon(?:[aeiou]\\w{0,3}|ummer|nummer|nr)?|tel[eé]fonos?|t[eé]l[eé]phone|t[eé]l|telp|phones?|cell|cellphone|cellulare|celular|cel|mobile|mobil|mobiel|m[oó]vil|handy|handynummer|natel|gsm|fax|whatsapp|hotline|tlf|tfno|puh|puhelin|tf|ph|hp|sms|τηλ|τηλέφωνο|κινητό|тел|телефон\\p{L}{0,2}|моб|мобильный|номер телефону|电话|電話|手机|手機|手机号|手机号码|电话号码|電話番号|携帯|携帯番号|전화|전화번호|연락처|휴대폰|핸드폰|טלפון|נייד|هاتف|تليفون|جوال|موبايل|โทร|เบอร์|đt|sđt|điện thoại|no hp|(?:phone|mobile|cell|fax|tel|contact|callback)[_ ]?(?:numbers?|no|nr|num)|फ़ोन|मोबाइल'
const VERBS =
  'call|call (?:me|us|him|her|them)|ring (?:me|us)|text (?:me|us)|reach (?:me|us|him|her)|erreichen(?: mich| uns)?|ruf mich an|anrufen|appelez|llámame|llame|llamame|llama|ligue|chiamami|chiama|bel me|ring (?:mig|meg|til mig)|soita|numeroon|zadzwoń|numer|numero|número|zavolejte|звоните|номер|телефонуйте|hubungi|gọi|拨打|請撥|请拨打|numaram'
/** What stands between the word and its number. */
const BETWEEN =
  '(?:\\\\[nrt]|[\\s"\'`:=.#*_,|>(\\[{\uff1a\\\\-]|(?:number|num|no|nr|n°|is|at|on|ist|lautet|unter|der|el|es|le|al|è|é|na|pod|op|på|numero|número|numéro|nummer|est|me|us|er|number is|は|是|为|為|는|은|nº|para|je|số|号|号码|번호)(?![a-z])){0,8}'
/** What JSON has between a name and its value apart from it: `"phone", "value": "`, `"phoneNumbers": [{"value": "`. */
export const VALUE_APART = String.raw`(?:["'\s:,{\[\\]|\\[nrt]){2,32}value(?=["'\\])`
const ANNOUNCED = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])|(?<=[_\\p{Ll}](?=\\p{Lu}))|(?<=_)|(?<=\\p{Lo}))(?:(${NOUNS})(?:${VALUE_APART})?|${VERBS})${BETWEEN}$`,
  'iu',
)

/** Telephone numbers, in no order; one may overlap the other. */
export function* findPhoneNumbers(text: string): Generator<Finding | undefined> {
  for (const match of windowedMatches(text, WRITTEN)) {
    if (match === undefined) yield undefined
    else if (isNumber(match.text)) yield phone(match)
  }
  for (const match of windowedMatches(text, GROUPS)) {
    if (match === undefined) yield undefined
    else if (isAnnounced(text, match.start, match.text)) yield phone(match)
  }
}

function phone({ start, text }: Match): Finding {
  return { kind: 'PHONE', start, end: start + text.length, rule: 'phone' }
}

/** Dates, with an hour behind hyphens; a postal code of the United States (`02765-1115`), and rows of binary digits. */
const NO_NUMBER =
  /^(?:\d{2}([ ./-])\d{2}\1(?:19|20)\d{2}|\d{2}-\d{2}-(?:19|20)\d{2} \d{2}|0\d{3}-\d{2}-\d{2}.*|\d{5}-\d{4}|[01\D]*)$/

function isNumber(match: string): boolean {
  const digits = countDigits(match)
  return digits >= 8 && digits <= 17 && !NO_NUMBER.test(match)
}

function isAnnounced(text: string, start: number, match: string): boolean {
  if (!mayBeAnnounced(text, start)) return false
  const word = ANNOUNCED.exec(text.slice(Math.max(0, start - WORD_WINDOW), start))
  if (word === null || DATE.test(match) || isAmount(word[0], match)) return false
  if (word[1] !== undefined) return countDigits(match) >= leastDigits(word[1], word[0])
  return countDigits(match) >= LEAST_BEHIND_VERBS && !UNDIVIDED_DATE.test(match)
}

/** The last words of what announces a number, of ASCII letters: asked before all else, since most numbers are of other things. */
const LAST_WORDS: ReadonlySet<string> = new Set(
  'n r t value tel telephone phone phones telefono telefonos telp cell cellphone cellulare celular cel mobile mobil mobiel movil handy handynummer natel gsm fax whatsapp hotline tlf tfno puh puhelin tf ph hp sms number numbers num no nr is at on ist lautet unter der el es le al e na pod op numero nummer est me us er para je call him her them erreichen mich uns an anrufen appelez llame llamame llama ligue chiamami chiama mig meg soita numeroon numer zavolejte hubungi numaram'.split(
    ' ',
  ),
)
const LONGEST_LAST_WORD = 16
const MOST_SIGNS = 12

/** Whether the last word before a number is one of those, begins with `telefon`, or has a letter beyond ASCII. */
function mayBeAnnounced(text: string, start: number): boolean {
  let end = start
  while (end > start - MOST_SIGNS && end > 0 && isSign(text, end - 1)) end--
  const from = skipBack(text, end, end - LONGEST_LAST_WORD, LETTER)
  if (unitAt(text, from - 1) >= BEYOND_ASCII) return true
  const word = text.slice(from, end)
  const last = /[A-Z]?[a-z]+$|[A-Z]+$/.exec(word)?.[0].toLowerCase() ?? ''
  return LAST_WORDS.has(last) || last.startsWith('telefon') || LAST_WORDS.has(word.toLowerCase())
}

const BEYOND_ASCII = 0x80

function isSign(text: string, at: number): boolean {
  return unitAt(text, at) < BEYOND_ASCII && (classAt(text, at) & (LETTER | DIGIT)) === 0
}

/** Whether it is a number of JSON below zero, or with a fraction: `{"desktop": 0.5512345, "mobile": 0.4487655}`. */
function isAmount(announcement: string, match: string): boolean {
  const sign = JSON_NUMBER.exec(announcement)?.[1]
  return sign !== undefined && (sign === '-' ? PLAIN : FRACTION).test(match)
}

/** A shorter number of JSON apart from its name is mostly an amount: `{"device": "mobile", "value": 1234567}`. */
function leastDigits(noun: string, announcement: string): number {
  if (!COUNTED.test(announcement)) return 0
  return COUNTED_NOUN.test(noun) ? 10 : 8
}

const LEAST_BEHIND_VERBS = 8
const JSON_NUMBER = /"\s*:\s*(-?)$/
const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/
/** Not `4155552671.0`, as tables with gaps write whole numbers. */
const FRACTION = /^(?:0|[1-9]\d*)\.\d*[1-9]\d*$/
/** Devices, channels, and words of other things: `phone` and `whatsapp` are as a rule somebody's. */
const COUNTED_NOUN = /^(?:cell?|mobile?|mobiel|handy|gsm|fax|tf|ph|hp|sms)$/i
const COUNTED = /value\\{0,7}["']\s*:\s*$/
const DATE = /^(?:(?:19|20)\d{2}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2(?:19|20)\d{2})/
const UNDIVIDED_DATE = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/

function countDigits(match: string): number {
  return match.replaceAll(/\D/g, '').length
}
