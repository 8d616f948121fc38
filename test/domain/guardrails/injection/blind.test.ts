import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { withoutSigns } from '../../../../training/injection/generate.ts'

const TRAINING = new URL('../../../../training/injection/', import.meta.url)
const BLIND = new URL('blind/', TRAINING)

t.test('no text that is kept for judging is trained on', (t) => {
  const trained = new Set<string>()
  for (const line of readFileSync(new URL('dataset.jsonl', TRAINING), 'utf8').trimEnd().split('\n')) {
    const sample: unknown = JSON.parse(line)
    if (typeof sample === 'object' && sample !== null && 'text' in sample)
      trained.add(withoutSigns(String(sample.text)))
  }
  t.ok(trained.size > 20_000)
  for (const file of readdirSync(BLIND)) {
    const texts = readFileSync(new URL(file, BLIND), 'utf8').trimEnd().split('\n')
    t.same(
      texts.map((text) => withoutSigns(text.replaceAll('\\n', '\n'))).filter((text) => trained.has(text)),
      [],
      file,
    )
  }
  t.end()
})
