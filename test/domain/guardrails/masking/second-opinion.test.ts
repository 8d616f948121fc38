import t from 'tap'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { countingSuffix } from '../../../fixtures/masking/counting-suffix.ts'
import { buildSecondBenign } from '../../../fixtures/masking/second-opinion-benign.ts'
import { buildOpinion } from '../../../fixtures/masking/second-opinion.ts'
import type { Opinion } from '../../../fixtures/masking/second-opinion.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const SEED = 7

function mask(text: string): string {
  return new RedactionMap({ detector, tokenSuffix: countingSuffix }).mask(text)
}

/** The share of cases whose secret is gone. */
function recallOf(cases: readonly Opinion[]): number {
  return cases.filter(({ text, secret }) => !mask(text).includes(secret)).length / cases.length
}

t.test('the second collection is broad', async (t) => {
  const cases = buildOpinion(SEED)
  t.ok(new Set(cases.map(({ kind }) => kind)).size >= 150)
  t.ok(new Set(cases.filter(({ isCore }) => isCore).map(({ placement }) => placement)).size >= 12)
  t.ok(buildSecondBenign(SEED).length >= 300)
})

t.test('secrets that the detector was not made for are masked', async (t) => {
  const cases = buildOpinion(SEED)
  const [core, all] = [recallOf(cases.filter(({ isCore }) => isCore)), recallOf(cases)]
  t.ok(core >= 0.98, `core ${core}`)
  t.ok(all >= 0.93, `all ${all}`)
})

t.test('look-alikes that the detector was not made for come out unaltered', async (t) => {
  const texts = buildSecondBenign(SEED)
  const altered = texts.filter((text) => mask(text) !== text)
  t.comment(altered.join('\n'))
  t.ok(altered.length <= texts.length / 100, `${altered.length} of ${texts.length}`)
})
