import t from 'tap'
import { createDetector, type Detector } from '../../../src/domain/guardrails/masking/detector.ts'
import { rememberClean } from '../../../src/proxy/guardrails/remembered-clean.ts'

const CLEAN = 'You are a helpful assistant.'
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
  }
}

t.test('a text that comes again is scanned once where nothing is found in it', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner)
  for (let round = 0; round < 3; round++) t.strictSame(remembering.detect(CLEAN, true), [])
  t.strictSame(inner.scanned, [CLEAN])
})

t.test('a text with findings is scanned and found every time', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner)
  for (let round = 0; round < 2; round++)
    t.strictSame(remembering.detect(MAIL, true), [{ kind: 'EMAIL', start: 14, end: 29, rule: 'email' }])
  t.strictSame(inner.scanned, [MAIL, MAIL])
})

t.test('other texts are not remembered', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner)
  for (let round = 0; round < 2; round++) remembering.detect(CLEAN)
  t.strictSame(inner.scanned, [CLEAN, CLEAN])
})

t.test('no more is remembered than allowed', async (t) => {
  const inner = counting()
  const remembering = rememberClean(inner, 16)
  const texts = Array.from('abcdefghijklmnop')
  for (const text of [...texts, 'a', 'q', 'a']) remembering.detect(text, true)
  t.strictSame(inner.scanned, [...texts, 'q', 'a'], 'full with sixteen, all forgotten with one more')
  for (let round = 0; round < 2; round++) remembering.detect('too', true)
  t.strictSame(inner.scanned.slice(-2), ['too', 'too'], 'an eighth of all is the longest')
})
