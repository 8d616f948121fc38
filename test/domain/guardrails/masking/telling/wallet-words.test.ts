import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const LIST = WORDS.split(' ')
const LONGEST = `${WORDS} ${WORDS}`
const rows = (count: number): string =>
  LIST.map((word, index) => `${word}${index % count === count - 1 ? '\n' : ' '}`)
    .join('')
    .trim()
const numbered = (sign: string, blank: string): string =>
  LIST.map((word, index) => `${index + 1}${sign} ${word}`).join(blank)

t.test("a wallet's words without quotes are masked behind their name, as people write them", async (t) => {
  for (const words of [WORDS, LONGEST, LIST.join(', '), rows(4), rows(1), numbered('.', '\n'), numbered(')', ' ')])
    for (const [before, after] of [
      ['My seed phrase: ', ''],
      ['my seed phrase is ', '.'],
      ['MNEMONIC=', '\nNEXT=1'],
      ['export MNEMONIC=', ' # of the test net'],
      ['Secret Recovery Phrase:\n', '\n\nplease help me'],
      ['**Seed phrase:** ', ''],
      ['<b>seed phrase:</b> ', '</p>'],
      ['{"log":"mnemonic: ', '\\nnext"}'],
      ['Secret recovery phrase\n', '\n'],
    ] as const)
      t.strictSame(found(`${before}${words}${after}`), [words], `${before}${words}${after}`)
  t.strictSame(found(`seed: ${WORDS}\nplease help with this`), [WORDS])
})

t.test('they are masked in quotes behind a word that says so, and in a list with quotes around each', async (t) => {
  for (const [before, after] of [
    ['My seed phrase is "', '".'],
    ["the mnemonic is '", "', keep it"],
  ] as const)
    t.strictSame(found(before + WORDS + after), [WORDS], before)
  for (const list of [LIST.join('", "'), LIST.join('",\n    "'), LONGEST.split(' ').join('","')])
    for (const before of ['"mnemonic": [', 'seed_phrase = [\n  '])
      t.strictSame(found(`${before}"${list}"]`), [list], before)
  const lines = numbered('.', '\\n')
  t.strictSame(found(`{"log":"seed phrase:\\n${lines}"}`), [lines])
  const escaped = LIST.join(String.raw`\", \"`)
  t.strictSame(found(String.raw`{"log":"{\"mnemonic\": [\"${escaped}\"]}"}`), [escaped])
})

t.test('sentences stay', async (t) => {
  for (const text of [
    `phrase: ${WORDS}`,
    `my seed phrase ${WORDS}`,
    `mnemonic: ${LIST.slice(1).join(' ')}`,
    `"mnemonic": ["${LIST.slice(1).join('", "')}"], "words": ["${LIST.join('", "')}"]`,
    'Seed words\nare only some long list',
    'Mnemonic: every good boy deserves fudge and other such sentences help people learn',
    'recovery phrase: keep it safe, and never give it to anyone who asks you for it online',
    'seed: plants need water light soil warmth time care space love and patience',
  ])
    t.strictSame(found(text), [], text)
})

t.test('rows of names and words are read in linear time', async (t) => {
  for (const piece of [
    'seed: ',
    'seed=seed ',
    'seed: seed\n',
    'mnemonic: abcd abcd abcd ',
    'seed: ab, abc,\n1',
    'seed: ["',
    'seed: ["abc","abc",',
  ])
    t.ok(found(piece.repeat(10_000)))
})
