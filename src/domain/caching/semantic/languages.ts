/**
 * Words that may come or go between two wordings of one question, by language. A word that is in no list always counts,
 * so a language that is not here, or a word that is forgotten, costs a hit and never a wrong answer. Negations,
 * prepositions of direction and order (from, before, without), modal verbs of permission and duty, pronouns other
 * than «my», subjects (I, je, yo), indefinite articles and verb forms that tell who where the other is dropped (ein, mein;
 * soy, es), an article that tells any from the one (a president, the president), «of» (right of way, right way), synonyms
 * that are none in a phrase (big data, a roll of film, a purchase order) or of some objects (to acquire a citizenship, to
 * buy one; to erase a disk, to delete one), and articles that are pronouns too (la, die) or tell who does what to whom, are left out on purpose: they
 * change what is asked.
 */

import { LOOK_ALIKES } from './look-alikes.ts'

export interface Language {
  readonly name: string
  /** Small letters beyond a to z. A text with others is in another language, whatever its short words. */
  readonly letters: string
  /** Nouns are written with a capital, so that a capital tells little, and many leave it out. */
  readonly capitalNouns: boolean
  /** Of such a language: pronouns that a capital makes others (Sie, sie). */
  readonly capitalPronouns: ReadonlySet<string>
  /** Words by which the language is recognised, at least one; they are not dropped. */
  readonly marks: ReadonlySet<string>
  /** Dropped wherever they stand. */
  readonly fillers: ReadonlySet<string>
  /** Politeness and «tell me» at the beginning, longest first. */
  readonly openings: readonly string[]
  /** Wordings that mean the same, rewritten before anything is dropped: from, to. */
  readonly rewrites: readonly (readonly [from: string, to: string])[]
  /** Words that mean the same: each to the first of its group. */
  readonly synonyms: ReadonlyMap<string, string>
}

const STATES = 'look feel sound seem smell taste compare rank differ fit score stand'
const PREPOSITIONS =
  'in on at by to for with from of under about after against around before behind between beyond during inside into near off onto outside over past through within without'

const english: Language = {
  name: 'en',
  letters: '',
  capitalNouns: false,
  capitalPronouns: new Set(),
  marks: words(
    'how what who where when why which whose to in on for with from and or not can should will did was were has have it this you me your i we is are am be do does of the_',
  ),
  fillers: words('the please my actually'),
  openings: [
    'i would like to know',
    "i'd like to know",
    'i want to know',
    'i need to know',
    'do you know',
    'can you please tell me',
    'could you please tell me',
    'can you tell me',
    'could you tell me',
    'would you tell me',
    'can you explain',
    'could you explain',
    'please tell me',
    'tell me',
    'please explain',
    'kindly explain',
    'kindly tell me',
    'explain',
    'please',
    'kindly',
    'hello',
    'hi',
    'hey',
  ],
  rewrites: [
    ['what is the best way to', 'how best to'],
    ['what is the way to', 'how'],
    ['what are the steps to', 'how'],
    ["what's", 'what is'],
    ["how's", 'how is'],
    ["who's", 'who is'],
    ["where's", 'where is'],
    ["when's", 'when is'],
    ["i'm", 'i am'],
    ["i'd", 'i would'],
    // How it is with me, and how to make it so, are two questions.
    ...STATES.split(' ').map((verb) => [`how do i ${verb}`, `how do_ i ${verb}`] as const),
    ['how can i', 'how'],
    ['how could i', 'how'],
    ['how do i', 'how'],
    ['how does one', 'how'],
    ['how to', 'how'],
    // After a preposition and before an order «the» can be the difference: in front of, in the front of; next week.
    ...PREPOSITIONS.split(' ').map((word) => [`${word} the`, `${word} the_`] as const),
    ...'next last other few little'.split(' ').map((word) => [`the ${word}`, `the_ ${word}`] as const),
    // «Few» alone says the opposite.
    ['a few', 'afew'],
    ['a little', 'alittle'],
  ],
  synonyms: groups(
    'begin start',
    'fix repair',
    'is are am',
    'do does',
    'car automobile',
    'phone telephone',
    'tv television',
  ),
}

const german: Language = {
  name: 'de',
  letters: 'äöüß',
  capitalNouns: true,
  capitalPronouns: words('sie ihr ihre ihrem ihren ihrer ihres ihnen'),
  marks: words(
    'wie was wer wo wann warum wieso welche welcher welches zu zum zur im in am mit für von und oder nicht kann soll wird wurde hat haben es ich wir der die das ist sind bin',
  ),
  fillers: words('mein meine bitte denn eigentlich'),
  openings: [
    'ich möchte wissen',
    'können sie mir sagen',
    'kannst du mir sagen',
    'sag mir',
    'sagen sie mir',
    'erkläre',
    'erklär mir',
    'bitte',
    'hallo',
  ],
  rewrites: [
    ['wie kann ich', 'wie'],
    ['wie könnte ich', 'wie'],
    ['wie kann man', 'wie'],
  ],
  synonyms: groups('passwort kennwort', 'starten beginnen', 'telefon fernsprecher'),
}

const french: Language = {
  name: 'fr',
  letters: 'àâæçéèêëîïôœùûüÿ',
  capitalNouns: false,
  capitalPronouns: new Set(),
  marks: words(
    "comment quoi qui où quand pourquoi quel quelle quels quelles de du à au aux dans avec pour par et ou ne pas peut sur ce cette il elle le la les l'",
  ),
  // Of a noun without a plural of its own «sont» and «mes» alone tell: mon colis, mes colis.
  fillers: words("est suis mon ma svp donc c'est"),
  openings: [
    'je voudrais savoir',
    "j'aimerais savoir",
    'pouvez-vous me dire',
    'peux-tu me dire',
    'dites-moi',
    'dis-moi',
    'bonjour',
    "s'il vous plaît",
    "s'il te plaît",
  ],
  rewrites: [
    ['nord est', 'nord-est'],
    ['sud est', 'sud-est'],
    ['est-ce que', ''],
    ["qu'est-ce que", 'que'],
    ['comment puis-je', 'comment'],
    ['comment je peux', 'comment'],
    ['comment faire pour', 'comment'],
  ],
  synonyms: groups('supprimer effacer', 'commencer débuter', 'voiture automobile'),
}

const spanish: Language = {
  name: 'es',
  letters: 'áéíñóúü',
  capitalNouns: false,
  capitalPronouns: new Set(),
  marks: words(
    'cómo qué quién dónde cuándo por cuál cuáles de del a al en con para y o no se puede su está la los las',
  ),
  fillers: words('el es mi mis pues'),
  openings: [
    'quisiera saber',
    'me gustaría saber',
    'puede decirme',
    'puedes decirme',
    'dime',
    'dígame',
    'por favor',
    'hola',
  ],
  rewrites: [
    ['cómo puedo', 'cómo'],
    ['cómo podría', 'cómo'],
    ['cómo se puede', 'cómo'],
  ],
  synonyms: groups('eliminar borrar', 'empezar comenzar', 'coche automóvil'),
}

const italian: Language = {
  name: 'it',
  letters: 'àèéìíîòóùú',
  capitalNouns: false,
  capitalPronouns: new Set(),
  marks: words(
    "come cosa chi dove quando perché quale quali di del della a al alla in con per e o non si può su lo la l'",
  ),
  fillers: words('il è mio mia miei mie quindi'),
  openings: [
    'vorrei sapere',
    'può dirmi',
    'puoi dirmi',
    'dimmi',
    'mi dica',
    'per favore',
    'per piacere',
    'ciao',
    'buongiorno',
  ],
  rewrites: [
    ['come posso', 'come'],
    ['come potrei', 'come'],
    ['come si fa a', 'come'],
    ["qual'è", 'qual è'],
  ],
  synonyms: groups('eliminare cancellare', 'iniziare cominciare'),
}

const portuguese: Language = {
  name: 'pt',
  letters: 'áâãàçéêíóôõúü',
  capitalNouns: false,
  capitalPronouns: new Set(),
  marks: words(
    'como que quem onde quando por qual quais de do da em no na com para e ou não se pode seu sua está o os as',
  ),
  fillers: words('é meu minha meus minhas então'),
  openings: ['eu gostaria de saber', 'gostaria de saber', 'pode me dizer', 'diga-me', 'por favor', 'olá'],
  rewrites: [
    ['como posso', 'como'],
    ['como eu posso', 'como'],
    ['como faço para', 'como'],
  ],
  synonyms: groups('apagar excluir', 'começar iniciar', 'carro automóvel'),
}

const dutch: Language = {
  name: 'nl',
  letters: 'áèéêëíïóöúü',
  capitalNouns: false,
  capitalPronouns: new Set(),
  marks: words(
    'hoe wat wie waar wanneer waarom welke van naar in op met voor en of niet kan moet wordt heeft hebben dit dat ik wij we het',
  ),
  fillers: words('de is ben mijn alsjeblieft alstublieft eigenlijk'),
  openings: ['ik wil graag weten', 'kunt u mij vertellen', 'kun je me vertellen', 'vertel me', 'hallo'],
  rewrites: [['hoe kan ik', 'hoe']],
  synonyms: groups('kopen aanschaffen', 'verwijderen wissen', 'beginnen starten'),
}

/** Of languages with equally many short words in a text the first counts: rather one in which nothing is dropped. */
export const LANGUAGES: readonly Language[] = [
  ...LOOK_ALIKES,
  english,
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
]

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

function groups(...lists: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const list of lists) {
    const [first = '', ...others] = list.split(' ')
    for (const other of others) map.set(other, first)
  }
  return map
}
