/**
 * Languages in which nothing is dropped, known by short words of their own. Without them their texts would be taken for one
 * of `languages.ts` whose short words they share, and lose words that say something there: «is» is ice in Danish and «too»
 * in Hungarian, «mie» noodles in Indonesian, «el» he in Romanian and a hand in Turkish.
 */
import type { Language } from './languages.ts'

export const LOOK_ALIKES: readonly Language[] = [
  lookAlike(
    'Scandinavian',
    'åäæéöøü',
    'hvad hva hvor hvordan hvem hvorfor hvornår vad hur vem varför när är er og och en ett det jeg jag ikke inte kan til till på om med af av som skal ska vil vill blir bliver var har',
  ),
  lookAlike(
    'pl',
    'ąćęłńóśźż',
    'co jak kto gdzie kiedy czy jest są sa w z na do nie się sie ja ty my mi od po za ile dla',
  ),
  lookAlike('hu', 'áéíóöőúüű', 'az és is van nem hogy itt ott egy mi ki hol mikor miért'),
  lookAlike('ro', 'ăâîșşțţ', 'cum cine unde când cand și si nu este sunt pe cu să sa poate pot pentru'),
  lookAlike(
    'tr',
    'âçğıîöşüû',
    'iyi hangi hangisi nasıl nasil ve bu bir için icin ile var yok kadar mu kaç kac çok cok',
  ),
  lookAlike(
    'id',
    '',
    'di dan yang untuk dengan apa siapa bagaimana cara dari ke ini itu tidak bisa saya ada berapa mie resep',
  ),
]

function lookAlike(name: string, letters: string, marks: string): Language {
  return {
    name,
    letters,
    capitalNouns: false,
    capitalPronouns: new Set(),
    marks: new Set(marks.split(' ')),
    fillers: new Set(),
    openings: [],
    rewrites: [],
    synonyms: new Map(),
  }
}
