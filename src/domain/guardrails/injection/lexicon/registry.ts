/** The lexicons, in order: on equal words the first one wins. A new language is one object and one line here. */
import type { Lexicon } from './concepts.ts'
import { CHINESE, JAPANESE, KOREAN } from './east-asian.ts'
import { ENGLISH } from './english.ts'
import { DUTCH, GERMAN, NORDIC } from './germanic.ts'
import { ARABIC, PERSIAN_HEBREW, TURKISH } from './middle-eastern.ts'
import { GREEK_HUNGARIAN } from './other-european.ts'
import { FRENCH, ITALIAN, OTHER_ROMANCE, PORTUGUESE, SPANISH } from './romance.ts'
import { OTHER_SLAVIC, POLISH, RUSSIAN, UKRAINIAN } from './slavic.ts'
import { HINDI_BENGALI, SOUTH_EAST_ASIAN } from './south-asian.ts'

export const LEXICONS: readonly Lexicon[] = [
  ENGLISH,
  GERMAN,
  FRENCH,
  SPANISH,
  PORTUGUESE,
  ITALIAN,
  DUTCH,
  POLISH,
  RUSSIAN,
  UKRAINIAN,
  CHINESE,
  JAPANESE,
  KOREAN,
  ARABIC,
  TURKISH,
  HINDI_BENGALI,
  SOUTH_EAST_ASIAN,
  PERSIAN_HEBREW,
  NORDIC,
  OTHER_SLAVIC,
  OTHER_ROMANCE,
  GREEK_HUNGARIAN,
]
