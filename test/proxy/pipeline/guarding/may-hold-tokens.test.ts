import fc from 'fast-check'
import t from 'tap'
import { mayHoldTokens } from '../../../../src/proxy/pipeline/guarding/may-hold-tokens.ts'

const TOKEN = '[[LLM_REDACTED_EMAIL_abcdefgh]]'

t.test('a document without a token or an escaped letter holds none', async (t) => {
  t.notOk(mayHoldTokens(Buffer.from('{"text":"[[ LLM \\n \\u20ac"}')))
})

t.test('a token is seen however its letters are written, in any view of the bytes', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: TOKEN.length, maxLength: TOKEN.length }),
      fc.boolean(),
      (escaped, nested) => {
        const letters = Array.from(TOKEN, (letter, index) => (escaped[index] ? escapeOf(letter) : letter)).join('')
        const text = `{"text":"${letters}"}`
        const bytes = new TextEncoder().encode(nested ? JSON.stringify({ arguments: text }) : text)
        return mayHoldTokens(bytes) && mayHoldTokens(Buffer.from(bytes))
      },
    ),
  )
  t.ok(mayHoldTokens(new Uint8Array(Buffer.from(`"${TOKEN}"`)).subarray(1)))
})

function escapeOf(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}
