import t from 'tap'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'
import { RedactionMap } from '../../../../src/domain/guardrails/masking/restoring/redaction-map.ts'
import { buildBenign } from '../../../fixtures/masking/benign.ts'
import { buildCorpus } from '../../../fixtures/masking/corpus.ts'
import type { CorpusCase } from '../../../fixtures/masking/corpus.ts'
import { countingSuffix } from '../../../fixtures/masking/counting-suffix.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

function mask(text: string): string {
  return new RedactionMap({ detector, tokenSuffix: countingSuffix }).mask(text)
}

function recallOf(cases: readonly CorpusCase[], leaked: readonly CorpusCase[]): number {
  return 1 - leaked.length / cases.length
}

t.test('the corpus is as broad as the bar asks', async (t) => {
  const cases = buildCorpus(1)
  t.ok(cases.length >= 300, `${cases.length} cases`)
  t.ok(new Set(cases.map(({ kind }) => kind)).size >= 100)
  t.ok(new Set(cases.map(({ placement }) => placement)).size >= 10)
  t.ok(buildBenign(1).length >= 250)
  t.ok(
    cases.every(({ text, secret, placement }) => text.includes(secret) || placement === 'json'),
    'every secret is in its text',
  )
})

for (const seed of [1, 2, 3]) {
  t.test(`secrets of every kind are masked in every placement (seed ${seed})`, async (t) => {
    const cases = buildCorpus(seed)
    const leaked = cases.filter(({ text, secret }) => mask(text).includes(secret))
    const core = cases.filter(({ isCore }) => isCore)
    t.comment(leaked.map(({ kind, placement }) => `${kind} in ${placement}`).join('; '))
    t.ok(
      recallOf(
        core,
        leaked.filter(({ isCore }) => isCore),
      ) >= 0.98,
      'core',
    )
    t.ok(recallOf(cases, leaked) >= 0.93, 'all')
  })

  t.test(`look-alikes come out unaltered (seed ${seed})`, async (t) => {
    const texts = buildBenign(seed)
    const altered = texts.filter((text) => mask(text) !== text)
    t.comment(altered.join('\n'))
    t.ok(altered.length / texts.length <= 0.01, `${altered.length} of ${texts.length} altered`)
  })
}
