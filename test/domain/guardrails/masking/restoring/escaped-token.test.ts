import t from 'tap'
import { heldFrom } from '../../../../../src/domain/guardrails/masking/restoring/escaped-token.ts'

t.test('of many brackets at the end of a text only the last ones are read on', async (t) => {
  const asked: string[] = []
  const begins = (said: string) => {
    asked.push(said)
    return said === '[['
  }
  const text = String.raw`\n` + '['.repeat(400)
  t.equal(heldFrom(text, 0, 60, begins), text.length - 2)
  t.strictSame(asked, ['[['])
})

t.test('what may begin a token is asked for as it is read, however its end is cut', async (t) => {
  for (const cut of ['', '\\', String.raw`\u`, String.raw`\u0`, String.raw`\u00`, String.raw`\u004`]) {
    for (const said of ['[', '[[', '[[LLM_', '[[LLM_REDACTED_EMAIL_']) {
      const text = String.raw`a\n` + said + cut
      t.equal(
        heldFrom(text, 0, 60, (begun) => begun === said),
        text.length - said.length - cut.length,
        text,
      )
    }
  }
})
