import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test("BitLocker's recovery key is found by its eight groups of six digits", async (t) => {
  const key = '438921-019283-556677-110022-394857-660011-273849-551122'
  for (const text of [
    `BitLocker recovery key: ${key}.`,
    `Recovery Key:\r\n\r\n    ${key}\r\n`,
    `The user read me ${key} over the phone`,
    JSON.stringify({ RecoveryPassword: key }),
  ])
    t.strictSame(found(text), [key], text)
  for (const text of [key.slice(0, -7), key.slice(1), `${key}-551122`, `1-${key}`, `${key}1`])
    t.strictSame(found(`Serial ${text}`), [], text)
})
