import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test('the password of a program for a mailbox is found as its page shows it', async (t) => {
  for (const blank of [' ', '\u00a0']) {
    const password = ['mqzp', 'xkwd', 'ruty', 'bnva'].join(blank)
    for (const text of [
      `SMTP_PASS=${password}`,
      `SMTP_PASS="${password}"\nPORT=587\n`,
      `auth: { pass: '${password}' }`,
      `My app password is ${password}\n`,
    ]) {
      t.strictSame(found(text), [password], text)
      const escaped = JSON.stringify({ text })
      t.strictSame(found(escaped), [password], escaped)
    }
  }
})

t.test('four words of four letters are none, nor are letters that go on', async (t) => {
  for (const text of [
    'Password: this must have caps',
    'Passwort: muss acht Zeichen',
    'password: mqzp xkwd ruty bnva and more',
    'key: mqzp xkwd ruty bnva',
  ])
    t.strictSame(found(text), [], text)
})
