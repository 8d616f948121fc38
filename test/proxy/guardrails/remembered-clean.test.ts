import t from 'tap'
import { createDetector, type Detector } from '../../../src/domain/guardrails/masking/detector.ts'
import { CleanTexts, rememberClean } from '../../../src/proxy/guardrails/remembered-clean.ts'

const CLEAN = 'You are a helpful assistant.'
/** Texts of one letter, each with what it costs to keep it. */
const THIRTY_TWO = 32 * 33
const MAIL = 'You write for ann@example.com.'

function counting(): Detector & { readonly scanned: string[] } {
  const detector = createDetector({ kinds: new Set(), custom: [] })
  const scanned: string[] = []
  return {
    scanned,
    detect(text) {
      scanned.push(text)
      return detector.detect(text)
    },
    detectByField: (name, text) => detector.detectByField(name, text),
    detectInSteps: (text) => detector.detectInSteps(text),
  }
}

t.test('a text that comes again is scanned once where nothing is found in it', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner, new CleanTexts())
  for (let round = 0; round < 3; round++) t.strictSame(remembering.detect(CLEAN, true), [])
  t.strictSame(inner.scanned, [CLEAN])
})

t.test('a text with findings is scanned and found every time', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner, new CleanTexts())
  for (let round = 0; round < 2; round++)
    t.strictSame(remembering.detect(MAIL, true), [{ kind: 'EMAIL', start: 14, end: 29, rule: 'email' }])
  t.strictSame(inner.scanned, [MAIL, MAIL])
})

t.test('other texts are not remembered', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner, new CleanTexts())
  for (let round = 0; round < 2; round++) remembering.detect(CLEAN)
  t.strictSame(inner.scanned, [CLEAN, CLEAN])
})

t.test('no more is remembered than allowed', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner, new CleanTexts(THIRTY_TWO))
  const texts = Array.from('abcdefghijklmnopqrstuvwxyz012345')
  for (const text of [...texts, 'a', '6', 'a']) remembering.detect(text, true)
  t.strictSame(inner.scanned, [...texts, '6', 'a'], 'full with thirty-two, all forgotten with one more')
  const long = 'a'.repeat(34)
  for (let round = 0; round < 2; round++) remembering.detect(long, true)
  t.strictSame(inner.scanned.slice(-2), [long, long], 'a thirty-second of all is the longest')
})

t.test('the bound is one for all detectors, each with its own texts', async (t) => {
  const clean = new CleanTexts(THIRTY_TWO)
  const [one, other] = [counting(), counting()]
  const remembering = [rememberClean(one, clean), rememberClean(other, clean)]
  const texts = Array.from('abcdefghijklmnop')
  for (let round = 0; round < 2; round++) {
    for (const text of texts) for (const detector of remembering) detector.detect(text, true)
  }
  t.strictSame([one.scanned, other.scanned], [texts, texts], 'full with sixteen of each')
  for (const text of ['q', 'a']) remembering[0]?.detect(text, true)
  remembering[1]?.detect('a', true)
  t.strictSame(
    [one.scanned, other.scanned],
    [
      [...texts, 'q', 'a'],
      [...texts, 'a'],
    ],
  )
})
