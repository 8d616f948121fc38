/**
 * Writes the data set from the seeds: node training/injection/generate.ts
 * Every sample is one line of JSON: text, label (1 attack), family, language, scope. Same seeds, same bytes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRandom, expand, pick, type Random, type WordLists } from './grammar.ts'
import { ATTACK_WORDS, DIRECT_ATTACKS, HARM_LINES } from './seeds/attacks-direct.ts'
import { STAGED_ATTACKS, VARIED_ATTACKS, VARIED_INDIRECT, VARIED_WORDS } from './seeds/attacks-varied.ts'
import { CARRIERS, INDIRECT_ATTACKS, INDIRECT_WORDS, PARAGRAPHS } from './seeds/attacks-indirect.ts'
import { BACKGROUND, BACKGROUND_WORDS, FOREIGN_WORDS } from './seeds/background.ts'
import { BENIGN, BENIGN_DOCUMENTS, BENIGN_WORDS } from './seeds/benign.ts'
import { CALLS_TO_ACTION, DOCUMENT_KINDS, DOCUMENT_WORDS, PASTE_QUESTIONS } from './seeds/documents.ts'
import { LANGUAGE_WORDS, LANGUAGES } from './seeds/languages.ts'
import { FOREIGN_LOOK_ALIKES, LOOK_ALIKE_WORDS, LOOK_ALIKES } from './seeds/look-alikes.ts'
import { FOREIGN_TOOL_ORDERS, TOOL_ORDERS, TOOL_WORDS } from './seeds/tool-orders.ts'
import { JAILBREAK_SENTENCES, ROLE_SENTENCES } from './seeds/long.ts'
import { TRIGGERED_BENIGN, VARIED_BENIGN } from './seeds/varied-benign.ts'
import { WORDS } from './seeds/words.ts'

export interface Sample {
  readonly text: string
  readonly label: 0 | 1
  readonly family: string
  readonly language: string
  readonly scope: 'message' | 'tool-output'
  /** Where the order stands in a document, as offsets; absent: the whole text. */
  readonly attack?: readonly [number, number]
}

const SEED = 20260714
/** Samples a family; families with more seeds get more. */
const PER_DIRECT_SEED = 14
const PER_INDIRECT_SEED = 30
const PER_FOREIGN_SEED = 14
const PER_BENIGN_SEED = 14
const PER_DOCUMENT_SEED = 26
const PER_VARIED_INDIRECT = 40
const PER_VARIED_BENIGN = 45
/** Long documents of each kind; every fourth one stands under a user's question. */
const PER_DOCUMENT_KIND = 150
/** Documents of each kind with an order in them. */
const PER_ATTACKED_KIND = 60
const PER_CALL = 40
const PER_FOREIGN_BENIGN_SEED = 7
const PER_ENCODER = 40
const PER_LOOK_ALIKE = 45
const PER_TOOL_ORDER = 20
const PER_FOREIGN_TOOL_ORDER = 8
const LONG_TEXTS = 600
const BACKGROUND_TEXTS = 4200
const PER_FOREIGN_BACKGROUND = 60

const LISTS: WordLists = {
  ...WORDS,
  ...ATTACK_WORDS,
  ...INDIRECT_WORDS,
  ...BENIGN_WORDS,
  ...LANGUAGE_WORDS,
  ...BACKGROUND_WORDS,
  ...LOOK_ALIKE_WORDS,
  ...TOOL_WORDS,
  ...DOCUMENT_WORDS,
  ...VARIED_WORDS,
  para: PARAGRAPHS,
  background: BACKGROUND,
  harm: HARM_LINES,
  code_leak: ['print(system_prompt)  # prints:', 'const secret = "', 'The password is', 'system_message = """'],
}

/** The whole data set, in a fixed order, without repetitions. */
export function generateSamples(): Sample[] {
  const random = createRandom(SEED)
  const samples = [
    ...directAttacks(random),
    ...indirectAttacks(random),
    ...foreign(random),
    ...benign(random),
    ...background(random),
    ...long(JAILBREAK_SENTENCES, 1, 'persona', random),
    ...long(ROLE_SENTENCES, 0, 'acting', random),
    ...lookAlikes(random),
    ...encoded(random),
    ...varied(random),
    ...longDocuments(random),
    ...toolOrders(random),
  ]
  const seen = new Set<string>()
  const blind = blindTexts()
  return samples.filter(
    (sample) => !seen.has(sample.text) && seen.add(sample.text) && !blind.has(withoutSigns(sample.text)),
  )
}

/** Short texts can come out of a seed by chance; what is kept for judging is left out. */
function blindTexts(): ReadonlySet<string> {
  const folder = new URL('blind/', import.meta.url)
  const lines = readdirSync(folder).flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split('\n'))
  return new Set(lines.map((line) => withoutSigns(line.replaceAll('\\n', '\n'))))
}

/** Case, blanks and signs make no other text. */
export function withoutSigns(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function* directAttacks(random: Random): Iterable<Sample> {
  for (const [family, seeds] of Object.entries(DIRECT_ATTACKS)) {
    for (const seed of seeds) {
      for (let round = 0; round < PER_DIRECT_SEED; round++) {
        yield { text: vary(expand(seed, LISTS, random), random), label: 1, family, language: 'en', scope: 'message' }
      }
    }
  }
}

/** Long prompts out of a pool of sentences. */
function* long(pool: readonly string[], label: 0 | 1, family: string, random: Random): Iterable<Sample> {
  for (let round = 0; round < LONG_TEXTS; round++) {
    const sentences = Array.from({ length: 2 + Math.floor(random() * 8) }, () =>
      expand(pick(pool, random), LISTS, random),
    )
    yield {
      text: [...new Set(sentences)].join(pick([' ', ' ', '\n', '\n\n'], random)),
      label,
      family,
      language: 'en',
      scope: 'message',
    }
  }
}

function* indirectAttacks(random: Random): Iterable<Sample> {
  for (const [family, seeds] of Object.entries(INDIRECT_ATTACKS)) {
    for (const seed of seeds) {
      for (let round = 0; round < PER_INDIRECT_SEED; round++) {
        const scope = family === 'plain' || random() < 0.7 ? 'tool-output' : 'message'
        yield embed(vary(expand(seed, LISTS, random), random), `indirect-${family}`, 'en', scope, random)
      }
    }
  }
}

function embed(order: string, family: string, language: string, scope: Sample['scope'], random: Random): Sample {
  const [before = '', after = ''] = expand(pick(CARRIERS, random).replace('{payload}', '\u0001'), LISTS, random).split(
    '\u0001',
  )
  return {
    text: before + order + after,
    label: 1,
    family,
    language,
    scope,
    attack: [before.length, before.length + order.length],
  }
}

function* foreign(random: Random): Iterable<Sample> {
  for (const [language, seeds] of Object.entries(LANGUAGES)) {
    for (const seed of seeds.attacks)
      for (let round = 0; round < PER_FOREIGN_SEED; round++)
        yield { text: expand(seed, LISTS, random), label: 1, family: 'foreign', language, scope: 'message' }
    for (const seed of seeds.indirect)
      for (let round = 0; round < PER_FOREIGN_SEED; round++)
        yield embed(expand(seed, LISTS, random), 'foreign-indirect', language, 'tool-output', random)
    for (const seed of seeds.benign) {
      for (let round = 0; round < PER_FOREIGN_BENIGN_SEED; round++)
        yield {
          text: expand(seed, LISTS, random),
          label: 0,
          family: 'foreign',
          language,
          scope: round % 7 === 6 ? 'tool-output' : 'message',
        }
    }
  }
}

function* benign(random: Random): Iterable<Sample> {
  for (const [family, seeds] of Object.entries(BENIGN)) {
    for (const seed of seeds) {
      for (let round = 0; round < PER_BENIGN_SEED; round++)
        yield { text: vary(expand(seed, LISTS, random), random), label: 0, family, language: 'en', scope: 'message' }
    }
  }
  for (const seed of BENIGN_DOCUMENTS) {
    for (let round = 0; round < PER_DOCUMENT_SEED; round++)
      yield {
        text: expand(seed, LISTS, random),
        label: 0,
        family: 'document',
        language: 'en',
        scope: round % 4 === 3 ? 'message' : 'tool-output',
      }
  }
}

function* lookAlikes(random: Random): Iterable<Sample> {
  for (const seed of LOOK_ALIKES) {
    for (let round = 0; round < PER_LOOK_ALIKE; round++) {
      yield {
        text: vary(expand(seed, LISTS, random), random),
        label: 0,
        family: 'look-alike',
        language: 'en',
        scope: 'message',
      }
    }
  }
  for (const [language, seeds] of Object.entries(FOREIGN_LOOK_ALIKES)) {
    for (const seed of seeds) {
      for (let round = 0; round < PER_FOREIGN_BENIGN_SEED; round++) {
        yield { text: expand(seed, LISTS, random), label: 0, family: 'look-alike', language, scope: 'message' }
      }
    }
  }
}

function* toolOrders(random: Random): Iterable<Sample> {
  for (const [language, seeds] of [['en', TOOL_ORDERS] as const, ...Object.entries(FOREIGN_TOOL_ORDERS)])
    for (const seed of seeds)
      for (let round = 0; round < (language === 'en' ? PER_TOOL_ORDER : PER_FOREIGN_TOOL_ORDER); round++)
        yield {
          text: vary(expand(seed, LISTS, random), random),
          label: 0,
          family: 'tool-order',
          language,
          scope: 'message',
        }
}

function* varied(random: Random): Iterable<Sample> {
  for (const [family, seeds] of [...Object.entries(VARIED_ATTACKS), ...Object.entries(STAGED_ATTACKS)])
    for (const seed of seeds)
      for (let round = 0; round < PER_DIRECT_SEED; round++)
        yield { text: vary(expand(seed, LISTS, random), random), label: 1, family, language: 'en', scope: 'message' }
  for (const seed of VARIED_INDIRECT) {
    for (let round = 0; round < PER_VARIED_INDIRECT; round++)
      yield embed(expand(seed, LISTS, random), 'indirect-plain', 'en', 'tool-output', random)
  }
  for (const seed of [...VARIED_BENIGN, ...TRIGGERED_BENIGN]) {
    for (let round = 0; round < PER_VARIED_BENIGN; round++)
      yield {
        text: vary(expand(seed, LISTS, random), random),
        label: 0,
        family: 'trigger',
        language: 'en',
        scope: 'message',
      }
  }
}

/** Documents of many paragraphs of one kind, as tool output, as message, and pasted under a question. */
function* longDocuments(random: Random): Iterable<Sample> {
  for (const [kind, pool] of Object.entries(DOCUMENT_KINDS)) {
    for (let round = 0; round < PER_DOCUMENT_KIND; round++) {
      const pasted = round % 4 === 3
      const question = pasted ? `${expand(pick(PASTE_QUESTIONS, random), LISTS, random)}\n\n` : ''
      yield {
        text: question + paragraphsOf(pool, 8, random).join(pick(['\n', '\n\n'], random)),
        label: 0,
        family: 'long-document',
        language: kind === 'german' ? 'de' : 'en',
        scope: round % 2 === 0 ? 'tool-output' : 'message',
      }
    }
    for (let round = 0; round < PER_ATTACKED_KIND; round++) yield attackedDocument(pool, round, random)
  }
  for (const seed of CALLS_TO_ACTION) {
    for (let round = 0; round < PER_CALL; round++)
      yield {
        text: expand(seed, LISTS, random),
        label: 0,
        family: 'document',
        language: 'en',
        scope: round % 3 === 0 ? 'message' : 'tool-output',
      }
  }
}

/** At least two, at most `more` above that, each with a call to action now and then. */
function paragraphsOf(pool: readonly string[], more: number, random: Random): string[] {
  return Array.from({ length: 2 + Math.floor(random() * more) }, () =>
    expand(random() < 0.1 ? pick(CALLS_TO_ACTION, random) : pick(pool, random), LISTS, random),
  )
}

/** An order between the paragraphs of an ordinary document. */
function attackedDocument(pool: readonly string[], round: number, random: Random): Sample {
  const direct = round % 3 === 2
  const seeds = direct
    ? pick([DIRECT_ATTACKS, VARIED_ATTACKS], random)
    : { ...INDIRECT_ATTACKS, varied: VARIED_INDIRECT }
  const order = expand(pick(pick(Object.values(seeds), random), random), LISTS, random)
  const between = pick([' ', '\n', '\n\n'], random)
  const before = paragraphsOf(pool, 3, random).join(between) + between
  return {
    text: before + order + between + paragraphsOf(pool, 3, random).join(between),
    label: 1,
    family: direct ? 'direct-in-document' : 'indirect-in-document',
    language: 'en',
    scope: round % 4 === 0 ? 'message' : 'tool-output',
    attack: [before.length, before.length + order.length],
  }
}

const ENCODERS: readonly ((text: string) => string)[] = [
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
  (text) => [...Buffer.from(text)].join(' '),
  (text) => [...text].toReversed().join(''),
  (text) => encodeURIComponent(text),
  (text) => [...text].join(' '),
  (text) => JSON.stringify({ data: Buffer.from(text).toString('base64'), ok: true }),
]

/** Encoded text is everyday data; asking to decode it is no attack. */
function* encoded(random: Random): Iterable<Sample> {
  const asks = [
    '{code}',
    'Decode this: {code}',
    'What does {code} say?',
    'Decode this [base64|hex|binary] [string|text] and [explain|translate] it: {code}',
    'Please decode and tell me what it says: {code}',
    'Convert {code} to plain text.',
    'Is {code} valid [base64|UTF-8|hex]?',
    'data: {code}',
    'Here is a [message|puzzle] for you, can you read it? {code}',
    'Read this and do the sum: {code}',
  ]
  for (const encode of ENCODERS) {
    for (let round = 0; round < PER_ENCODER; round++) {
      const hidden = encode(expand(pick(PARAGRAPHS, random), LISTS, random))
      const [before = '', after = ''] = expand(pick(asks, random).replace('{code}', '\u0001'), LISTS, random).split(
        '\u0001',
      )
      yield {
        text: before + hidden + after,
        label: 0,
        family: 'encoded',
        language: 'en',
        scope: round % 4 === 3 ? 'tool-output' : 'message',
      }
    }
  }
}

function* background(random: Random): Iterable<Sample> {
  for (let round = 0; round < BACKGROUND_TEXTS; round++) {
    const sentences = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
      expand(pick(BACKGROUND, random), LISTS, random),
    )
    yield {
      text: sentences.join(pick([' ', ' ', '\n', '\n\n'], random)),
      label: 0,
      family: 'background',
      language: 'en',
      scope: round % 2 === 0 ? 'tool-output' : 'message',
    }
  }
  for (const [language, words] of Object.entries(FOREIGN_WORDS)) {
    const between = language === 'zh' || language === 'ja' ? '' : ' '
    for (let round = 0; round < PER_FOREIGN_BACKGROUND; round++) {
      const drawn = Array.from({ length: 8 + Math.floor(random() * 8) }, () => pick(words, random))
      yield {
        text: drawn.join(between),
        label: 0,
        family: 'background',
        language,
        scope: round % 2 === 0 ? 'tool-output' : 'message',
      }
    }
  }
}

/** Small accidents of writing: case, a lost full stop, a swapped letter. */
function vary(text: string, random: Random): string {
  const chance = random()
  if (chance < 0.06) return text.toUpperCase()
  if (chance < 0.2) return text.toLowerCase()
  if (chance < 0.3) return text.replace(/[.!?]$/, '')
  if (chance < 0.36) return swapLetters(text, random)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function swapLetters(text: string, random: Random): string {
  const at = 1 + Math.floor(random() * Math.max(1, text.length - 3))
  return text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2)
}

if (import.meta.main) {
  const samples = generateSamples()
  const file = new URL('dataset.jsonl', import.meta.url)
  writeFileSync(file, samples.map((sample) => JSON.stringify(sample)).join('\n') + '\n')
  const attacks = samples.filter((sample) => sample.label === 1)
  process.stdout.write(
    `${samples.length} samples, ${attacks.length} attacks, ${new Set(attacks.map((sample) => sample.family)).size} attack families\n`,
  )
}
