import t from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import { createTokenSuffix } from '../../../src/proxy/guardrails/redaction-suffix.ts'

t.test('a suffix is stable for secret, kind, value and attempt, and differs where one of them does', async (t) => {
  const suffix = createTokenSuffix(new Secret('one'))
  const base = suffix('EMAIL', 'bob@example.com', 0)
  t.match(base, /^[a-z2-7]{8}$/)
  t.equal(createTokenSuffix(new Secret('one'))('EMAIL', 'bob@example.com', 0), base)
  const others = [
    suffix('KEY', 'bob@example.com', 0),
    suffix('EMAIL', 'bob@example.org', 0),
    suffix('EMAIL', 'bob@example.com', 1),
    createTokenSuffix(new Secret('two'))('EMAIL', 'bob@example.com', 0),
  ]
  t.equal(new Set([base, ...others]).size, 5)
})
