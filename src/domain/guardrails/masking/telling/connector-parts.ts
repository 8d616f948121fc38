/** What patterns of connectors have in common, as sources of regular expressions. */

/** One of these; a list reads better than a line of bars. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join('|')})`
}

/** Quotes in a text that was put into JSON, and that into JSON again, have one, three, seven backslashes before them. */
export const ESCAPES = String.raw`\\{0,7}`
/** A character of white space, or, in a text inside JSON, its escape. */
export const SPACING = anyOf(String.raw`\s`, String.raw`\\{1,7}[nrt]`)
export const NEXT_LINE = `${SPACING}{0,24}`

/** What closes a name. */
export const CLOSERS = `${anyOf(
  String.raw`${ESCAPES}["'\x60]`,
  // `char password[] = "..."`
  String.raw`\[\d{0,4}\](?=\s?=\s?${ESCAPES}["'])`,
  String.raw`[\])*_]`,
  '&quot;',
  '&#39;',
  '%22',
  '</?(?:b|strong|code|em|td|th|dt|span|label)>',
)}{0,4}`

/** Of a label that its sign is a part of: `**Password:** ...`, `<b>Password:</b> ...`. A value's own emphasis has no blank behind it. */
export const LABEL_END = String.raw`(?:(?:\*{1,3}|_{1,3}|</(?:b|strong|em|td|th|dt|span|label|p|div)>){1,3}(?=[\s<]|\\{1,7}[nrt]))?`

/** `→`, `⇒`, and those of Dingbats and emoji. */
export const ARROW = String.raw`(?:[\u2192\u21d2\u2794\u279c\u27a1\u27a4]\ufe0f?|\ud83d\udc49)`

const FENCE = String.raw`(?:\x60{3}|~{3})`
/** The element that the value stands in or begins behind, or a block of code that holds nothing else: others begin with a command (`python3 manage.py ...`). */
export const VALUE_BEGIN = `${anyOf(
  String.raw`(?:${SPACING}{0,4}<(?:b|br|strong|em|i|u|p|div|td|dd|span|font|kbd|tt|samp)(?: [^<>\n]{0,60}|/)?>){1,2}${SPACING}{0,4}`,
  String.raw`${SPACING}{0,4}${FENCE}\w{0,12}${SPACING}{1,4}(?=[^\s\\\x60]{1,256}${SPACING}{1,4}${FENCE})`,
  String.raw`${SPACING}{0,4}<pre(?: [^<>\n]{0,60})?>(?:<code(?: [^<>\n]{0,60})?>)?${SPACING}{0,4}(?=[^\s\\<]{1,256}${SPACING}{0,4}</)`,
)}?`
