/** The lexicons, in order: on equal words the first one wins. A new language is one object and one line here. */
import {
  ARABIC,
  CHINESE,
  GREEK_HUNGARIAN,
  HINDI_BENGALI,
  JAPANESE,
  KOREAN,
  PERSIAN_HEBREW,
  SOUTH_EAST_ASIAN,
  TURKISH,
} from './asian.ts'
import type { Lexicon } from './concepts.ts'
import { ENGLISH } from './english.ts'
import { DUTCH, GERMAN, NORDIC } from './germanic.ts'
import { FRENCH, ITALIAN, OTHER_ROMANCE, PORTUGUESE, SPANISH } from './romance.ts'
import { OTHER_SLAVIC, POLISH, RUSSIAN, UKRAINIAN } from './slavic.ts'

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
