/**
 * One spelling for what a model reads as the same text.
 *
 * 1. `clean`: invisible characters out (what Unicode tags and variation selectors spell is kept apart as hidden text),
 *    compatibility forms (fullwidth, mathematical, circled letters) and letter-like symbols to plain letters.
 * 2. `fold`: lower case, combining marks off Latin, Greek, Cyrillic and Arabic, and look-alikes of other alphabets to
 *    Latin, but only inside words that mix alphabets: a Russian or Greek text stays what it is.
 *
 * Each step is one pass or one native call over the text. Known limit: a word spelt wholly in look-alikes of one foreign
 * alphabet is left for `plainWords` (text/plain-words.ts), which knows the words worth folding.
 */

/** A text without its invisible characters. */
export interface CleanText {
  readonly text: string
  /** What invisible characters spelt out; empty where they spelt nothing. */
  readonly hidden: string
}

const NON_ASCII = /\P{ASCII}/u
// U+FDFA and U+FDFB are not invisible, but ligatures of whole phrases that grow eighteenfold in compatibility form.
// Written as texts: in a literal, linters take the ranges for letters with marks on them.
const INVISIBLE = new RegExp(
  String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufdfa\ufdfb\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\u{1d173}-\u{1d17a}]`,
  'gu',
)
const HAS_INVISIBLE = new RegExp(INVISIBLE.source, 'u')
/** Flags of English, Scottish and Welsh football are spelt with up to six tags. */
const LONGEST_FLAG = 6
const COMBINING = new RegExp(
  String.raw`[\u0300-\u036f\u0483-\u0489\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]`,
  'gu',
)
const MIXABLE = /[\u0370-\u058f\u13a0-\u13ff\u1c80-\u1c8f]/
const WORD = /[\p{L}\p{N}]+/gu
const LATIN = /[a-z]/

/** Letter-like signs that compatibility forms do not cover: small capitals, turned letters, squared letters. */
const LETTER_SIGNS = pairs(
  'ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴌl ᴍm ɴn ᴏo ᴘp ꞯq ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ɑa ɡg ıi ɩi ʋv ɐa ɔc ǝe ɟf ƃg ɥh ᴉi ɾj ʞk ɯm ɹr ʇt ʌv ʍw ʎy øo łl đd ħh ŧt ßs æae œoe',
)
/** Cyrillic, Greek, Armenian and Cherokee letters that look like Latin ones (after lower-casing). */
const LOOK_ALIKES = pairs(
  'аa вb сc ԁd еe ёe гr һh іi їi ӏl јj кk ӄk мm нh оo рp ԛq ѕs тt уy ү_y ѵv ԝw хx зz пn иu цu шw бb ' +
    'αa βb ϲc δd εe ζz ηn ιi ϳj κk λl μu νv οo ρp σo ςs τt υu χx ωw γy ' +
    'աw օo սu ոn հh գq զq ց_g տs ғf ꭺa ꮯc ꭼe ꮋh ꭻj ꮶk ꮮl ꮇm ꮲp ꮪs ꭲt ꮩv ꮃw ꮓz',
)

/** Invisible characters out, compatibility forms to plain letters. Never throws; lone surrogates stay. */
export function clean(text: string): CleanText {
  if (!NON_ASCII.test(text)) return { text, hidden: '' }
  const hidden = HAS_INVISIBLE.test(text) ? hiddenText(text) : ''
  return { text: replaceLetterSigns(text.replace(INVISIBLE, '').normalize('NFKC')), hidden }
}

/** Lower case, marks off, look-alikes inside mixed words to Latin. Expects a cleaned text. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (!NON_ASCII.test(lower)) return lower
  const bare = lower.normalize('NFD').replace(COMBINING, '').normalize('NFC')
  if (!MIXABLE.test(bare)) return bare
  return bare.replace(WORD, (word) => (LATIN.test(word) && MIXABLE.test(word) ? foldLookAlikes(word) : word))
}

/** Every look-alike of the word to its Latin letter, other characters as they are. */
export function foldLookAlikes(word: string): string {
  let folded = ''
  for (const character of word) folded += LOOK_ALIKES.get(character) ?? character
  return folded
}

/** Tags (U+E0020..7E) are ASCII shifted; variation selectors carry one byte each. */
function hiddenText(text: string): string {
  let tags = ''
  const bytes: number[] = []
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xe0020 && code <= 0xe007e) tags += String.fromCharCode(code - 0xe0000)
    else if (code >= 0xe0100 && code <= 0xe01ef) bytes.push(code - 0xe0100 + 16)
    else if (code >= 0xfe00 && code <= 0xfe0e) bytes.push(code - 0xfe00)
  }
  const smuggled = bytes.length > LONGEST_FLAG ? new TextDecoder().decode(Uint8Array.from(bytes)) : ''
  return `${tags.length > LONGEST_FLAG * 2 ? tags : ''}${smuggled}`
}

/** Regional indicators and squared letters have no compatibility form. */
const SIGN =
  /[\u0131\u00f8\u0142\u0111\u0127\u0167\u0250-\u02af\u1d00-\u1d25\ua730\ua731\ua7af\u01dd\u0183]|[\u{1f130}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu

function replaceLetterSigns(text: string): string {
  return text.replace(SIGN, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    if (code >= 0x1f1e6) return String.fromCharCode(97 + code - 0x1f1e6)
    if (code >= 0x1f130) return String.fromCharCode(97 + (((code - 0x1f130) % 32) % 26))
    return LETTER_SIGNS.get(sign) ?? sign
  })
}

/** `xy` pairs separated by blanks: the first character stands for the rest; `_` is only a separator. */
function pairs(table: string): ReadonlyMap<string, string> {
  return new Map(table.split(' ').map((pair) => [pair.charAt(0), pair.slice(1).replace('_', '')]))
}
