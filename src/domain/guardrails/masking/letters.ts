/**
 * Letters without digits: is a row of them a word of some language, or typed blindly? Judged by pairs of letters that hardly any language
 * written in Latin letters has.
 */

/** By first letter: the second letters that words do not have after it (names of firms and abbreviations aside). */
const STRANGE_PAIRS: Readonly<Record<string, string>> = {
  b: 'fgkmnpqwxz',
  c: 'bdfgjmpvwx',
  d: 'bcfkpqxz',
  f: 'bcdghjkmpqvwxz',
  g: 'cfjkpqvxz',
  h: 'bcdfghjkpqvxz',
  i: 'wyj',
  j: 'bcdfghjklmnpqrstvwxyz',
  k: 'bcdfgjmpqvxz',
  l: 'jqrxwz',
  m: 'dfghjkqrtvwxz',
  n: 'xq',
  p: 'bcdfgjkmqvwxz',
  q: 'abcdefghijklmnopqrstvwxyz',
  r: 'qxj',
  s: 'dgjrvxz',
  t: 'bdgjkqvx',
  u: 'uwq',
  v: 'bcdfghjklmnpqstuvwxz',
  w: 'bcfgjkmpquvwxz',
  x: 'bdfgjklmnqrsvwxz',
  y: 'hjqvyx',
  z: 'bcdfghjklmnpqrstvwx',
}

/** Whether at least two pairs, and every fourth, are strange ones. `letters` has ASCII letters only. */
export function isTypedBlindly(letters: string): boolean {
  const word = letters.toLowerCase()
  let strange = 0
  for (let index = 1; index < word.length; index++)
    if (STRANGE_PAIRS[word.charAt(index - 1)]?.includes(word.charAt(index)) === true) strange++
  return strange >= 2 && strange * 5 >= word.length
}
