import fc from 'fast-check'
import t from 'tap'
import { classOf, DISGUISE, FOREIGN_LETTER } from '../../../../src/domain/guardrails/masking/character-classes.ts'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'
import { KEY_PREFIXES, SHORT_KEY_PREFIXES } from '../../../../src/domain/guardrails/masking/secrets/key-prefixes.ts'
import { PIECE_UNITS, PlainStretches } from '../../../../src/domain/guardrails/masking/plain-stretch.ts'
import {
  classifyIdeographs,
  mayTell,
  mayTellBefore,
} from '../../../../src/domain/guardrails/masking/telling/telling-name.ts'
import { buildCorpus } from '../../../fixtures/masking/corpus.ts'

const PREFIXES = [...KEY_PREFIXES, ...SHORT_KEY_PREFIXES].flatMap(([, prefixes]) => prefixes.split(' '))

function endOfPlain(text: string): number {
  const stretches = new PlainStretches(text)
  stretches.take(0, text.length)
  return stretches.endFrom(0)
}

/** Where the first thing stands that a rule begins at, read from the rules one by one. */
function firstRemarkable(text: string): number {
  const places = [text.length]
  for (const { index, 0: word } of text.matchAll(/[\w\u00c0-\u1fff]+/g)) {
    if ([...word].some((letter) => letter > '\u00bf' && (classOf(letter.charCodeAt(0)) & FOREIGN_LETTER) === 0))
      continue
    const end = index + word.length
    const isTold = mayTell(text, end) || mayTellBefore(text, index, end)
    const isKey = PREFIXES.some((prefix) => text.startsWith(prefix, index) && /^[A-Za-z]+[^A-Za-z]/.test(prefix))
    if (/[\d_]|.{18}|^eyJ|^PuTTY-|^dot$/i.test(word) || isTold || isKey) places.push(index)
  }
  for (const { index } of text.matchAll(
    /[@%\\&~]|:\/\/|(?<=data):|---|(?<=\s)-[a-z-]|\.atlasv1|[[({]\s?(?:@|at|arroba|ät)/gi,
  ))
    places.push(index)
  for (let at = 0; at < text.length; at++)
    if (classifyIdeographs(text, at + 1) !== undefined || (classOf(text.charCodeAt(at)) & DISGUISE) !== 0)
      places.push(at)
  return Math.min(...places)
}

const piece = fc.oneof(
  fc.constantFrom(
    ...PREFIXES,
    ...'( @ at ät arroba dot :// data: --- -p .atlasv1. eyJ PuTTY- 密码 キー é Straße'.split(' '),
  ),
  fc.constantFrom(
    'Passwort',
    'clé',
    'ПАРОЛЬ',
    'jwt',
    'Login',
    'API',
    'keyValue',
    'qwertyuiopasdfghjk',
    'a4',
    'x_y',
    '\u200b',
    '＠',
  ),
  fc.string({ unit: fc.constantFrom(...'abkspwtoenABZ -.:/=@"(['), maxLength: 8 }),
)

t.test('property: nothing is passed over that a rule begins at', async () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.constantFrom(' ', ' the ', ', '))), (pieces) => {
      const text = pieces.join('')
      return endOfPlain(text) <= firstRemarkable(text)
    }),
    { numRuns: 5000 },
  )
})

t.test('plain text is passed over as a whole, in any script', async (t) => {
  for (const text of [
    'Our team met on Tuesday to look at the numbers - most of the plans (that we made in spring) went well. "Good," he said; it\'s fine!',
    'Wir trafen uns am Dienstag, um über die Zahlen zu sprechen; die Pläne für das Frühjahr waren größtenteils gut.',
    'Мы встретились во вторник, чтобы обсудить планы на весну.',
    '我们星期二开会讨论了上个季度的数字。',
    'เราพบกันเมื่อวันอังคารเพื่อดูตัวเลข',
    '{"name": "value", "list": [true, false, null], "other": {}}',
  ])
    t.equal(endOfPlain(text), text.length, text)
})

t.test('a key is found wherever the pieces part that a text is read in', async (t) => {
  const detector = createDetector({ kinds: new Set(), custom: [] })
  for (const { text } of buildCorpus(4).filter((_, index) => index % 40 === 0)) {
    const alone = detector.detect(`. ${text}`)
    for (let overlap = 0; overlap <= text.length; overlap += 7) {
      const before = 'x '.repeat(PIECE_UNITS).slice(overlap % 2, PIECE_UNITS - overlap - (overlap % 2))
      const moved = detector.detect(`${before}. ${text}`)
      const back = moved.map((finding) => ({
        ...finding,
        start: finding.start - before.length,
        end: finding.end - before.length,
      }))
      t.strictSame(back, alone, `${text} at ${overlap}`)
    }
  }
})
