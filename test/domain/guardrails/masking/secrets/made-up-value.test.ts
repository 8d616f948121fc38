import t from 'tap'
import { isMadeUp, isMadeUpLiteral } from '../../../../../src/domain/guardrails/masking/secrets/made-up-value.ts'

t.test('short letters and digits in turn are made up', async (t) => {
  for (const value of 'abc123 test1234 abc123def 123abc 1234abcd s3cr3t p4ssw0rd a1b2c3d4 abc123def456'.split(' '))
    t.ok(isMadeUp(value), value)
})

t.test('names of programs, measures, words and numbers are not', async (t) => {
  const names =
    'sha256 uint128 ed25519 x25519 secp256k1 prime256v1 utf8mb4 v1beta1 oauth2client base64url http2stream ERC1155'
  const others = '1920x1080 1h30m15s 128bits 3600seconds token2 page2 secret 123456 a1b2 ab-123 parser1024'
  for (const value of `${names} ${others}`.split(' ')) t.notOk(isMadeUp(value), value)
  t.notOk(isMadeUp('a1'.repeat(21)), 'too long')
})

t.test('a longer word with a number is made up only where no variable stands', async (t) => {
  for (const value of ['supersecret123', 'mytoken1234'])
    t.strictSame([isMadeUp(value), isMadeUpLiteral(value)], [false, true])
  for (const value of ['curve25519', 'token12', 'secret']) t.notOk(isMadeUpLiteral(value), value)
})
