import t from 'tap'
import type { Usage } from '../../../src/domain/completion/result.ts'
import { believed } from '../../../src/domain/quota/belief.ts'

const PROMPT = { textBytes: 10, wideBytes: 0, overheadTokens: 24, images: 0, unmeasurable: false }

const TOLD: Usage = { input: 5, cachedInput: 0, cacheWrite: 0, output: 7, reasoning: 0 }

const usage = (counts: Partial<Usage>): Usage => ({ ...TOLD, ...counts })

t.test('what a vendor may count beyond what was sent is believed', async (t) => {
  for (const told of [
    usage({}),
    usage({ input: 1_000_000, output: 128_000, reasoning: 100_000 }),
    usage({ input: 2_000_000, cachedInput: 7_000_000, cacheWrite: 1_000_000 }),
    usage({ output: 10_000_000 }),
  ]) {
    t.equal(believed(told, {}, PROMPT), told)
  }
  const long = { contextWindow: 50_000_000 }
  const told = usage({ input: 200_000_000, output: 200_000_000 })
  t.equal(believed(told, long, PROMPT), told, 'four times the window that is stated')
  const answer = usage({ output: 48_000_000 })
  t.equal(believed(answer, { maxOutputTokens: 12_000_000 }, PROMPT), answer)
  const large = usage({ input: 30_000_000 })
  t.equal(believed(large, {}, { ...PROMPT, textBytes: 30_000_000 }), large, 'a token for each byte that was sent')
})

t.test('a part that no call can have is none, the other one stays', async (t) => {
  const noPrompt = { input: 0, cachedInput: 0, cacheWrite: 0 }
  t.strictSame(believed(usage({ input: 10_000_001 }), {}, PROMPT), usage(noPrompt))
  t.strictSame(believed(usage({ cachedInput: 1e9 }), { contextWindow: 128_000 }, PROMPT), usage(noPrompt))
  t.strictSame(believed(usage({ cacheWrite: 1e9 }), {}, undefined), usage(noPrompt))
  t.strictSame(believed(usage({ output: 1e9, reasoning: 3 }), {}, PROMPT), usage({ output: 0 }))
  t.strictSame(believed(usage({ reasoning: 1e9 }), { maxOutputTokens: 8_192 }, PROMPT), usage({ output: 0 }))
})
