/**
 * Letters without digits: is a row of them a word of some language, or typed blindly? Judged by pairs of letters that hardly any language
 * written in Latin letters has.
 */

/** By first letter: the second letters that words do not have after it (names of firms and abbreviations aside). */
const STRANGE_PAIRS: Readonly<Record<string, string>> = {
  b: 'qwxz',
  c: 'bfgjpvwx',
  d: 'qx',
  f: 'bcjpqvwxz',
  g: 'cjpqvxz',
  h: 'jqvxz',
  i: 'wy',
  j: 'fgpqwxy',
  k: 'qxz',
  l: 'qxw',
  m: 'gjqxz',
  n: 'q',
  p: 'bgjqvwxz',
  q: 'abcdefghijklmnopqrstvwxyz',
  r: 'qx',
  s: 'jqxz',
  t: 'qx',
  u: 'w',
  v: 'bfhjkmpqwxz',
  w: 'fgjqvx',
  x: 'bdgjkmnrsvwxz',
  y: 'hjqyx',
  z: 'fjqrx',
}

/** Whether at least two pairs, and every fourth, are strange ones. `letters` has ASCII letters only. */
export function isTypedBlindly(letters: string): boolean {
  const strange = countStrangePairs(letters)
  return strange >= 2 && strange * 5 >= letters.length
}

/** Whether there is one at all, in letters with anything between them. */
export function hasStrangePair(text: string): boolean {
  return countStrangePairs(text) > 0
}

function countStrangePairs(text: string): number {
  const word = text.toLowerCase()
  let strange = 0
  for (let index = 1; index < word.length; index++)
    if (STRANGE_PAIRS[word.charAt(index - 1)]?.includes(word.charAt(index)) === true) strange++
  return strange
}
