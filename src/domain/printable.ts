/** Text of others made fit for one line of a log, a terminal or a page. */

/**
 * What ends a line for some readers (U+0085, U+2028, U+2029), acts on a terminal (DEL, C1 controls) or turns the direction of
 * what stands around it. Not the controls below the blank, which JSON escapes itself.
 * @see https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 */
const UNPRINTABLE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** In one pass: where there is none, the text itself comes back. */
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'g')

/** The same text with `\u2028` written for what is not printable: of a JSON text, another text of the same value. */
export function printable(text: string): string {
  return UNPRINTABLE.test(text) ? text.replace(ALL_UNPRINTABLE, escaped) : text
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
