import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test('behind a name without a value, the variable of the next line is none', async (t) => {
  for (const text of [
    'DB_PASSWORD=\nDB_PORT=3306\n',
    'DB_PASSWORD=\n\n# DB_PORT=3306\n#DB_PORT=3306\n',
    'DB_PASSWORD=\nS3_BUCKET=\n',
    'root="$PWD"\nlint_tests="${TESTS}"\n',
    'AWS_SECRET_ACCESS_KEY=\nAWS_DEFAULT_REGION=us-east-1\n',
    'spring.datasource.password=\r\nspring.jpa.version=h2x5\r\n',
  ]) {
    t.strictSame(found(text), [], text)
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), [], escaped)
  }
  t.strictSame(found('data:\n  password: |\n    aHVudGVyMg==\n'), ['aHVudGVyMg=='])
})

t.test('how many characters a password has to have stays', async (t) => {
  t.strictSame(found('Password: 8-16 characters\nPasswort: 8-20 Zeichen\nParola: 6–20 karakter'), [])
  t.strictSame(found('Password: 12-345'), ['12-345'])
})
