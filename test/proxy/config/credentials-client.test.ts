/** A sidecar that does not get to its operator: whoever reads its log learns what to look at. */
import { createServer } from 'node:tls'
import t from 'tap'
import type { Test } from 'tap'
import { issueAuthority, issueServerCertificate } from '../../../src/operator/certificates/issue.ts'
import { CredentialsClient } from '../../../src/proxy/config/credentials-client.ts'
import { DAY_MS } from '../../helpers/clock.ts'

t.test('the log says why there is no connection to the operator', async (t) => {
  const port = await otherAuthoritysServer(t)
  const cases: readonly (readonly [string, RegExp])[] = [
    ['operator.invalid:8443', /Name resolution failed for target dns:operator\.invalid:8443/],
    ['127.0.0.1:1', /ECONNREFUSED 127\.0\.0\.1:1/],
    [`localhost:${port}`, /certificate/],
  ]
  const found = await Promise.all(cases.map(([address]) => firstReason(t, address)))
  for (const [at, [address, reason]] of cases.entries()) {
    t.match(found[at], /^no connection to the operator: /, address)
    t.match(found[at], reason, address)
  }
})

/** What a client that trusts one authority says first of an address. */
async function firstReason(t: Test, address: string): Promise<string> {
  const { certificate } = await issueAuthority({ now: Date.now(), lifetimeMs: DAY_MS })
  return new Promise((resolve) => {
    const client = new CredentialsClient({
      address,
      readCa: () => Promise.resolve(certificate),
      readToken: () => Promise.resolve('token'),
      pod: { namespace: 'shop', name: 'app', uid: 'u' },
      onGrant: () => undefined,
      onHint: () => undefined,
      log: { info: () => undefined, warn: (fields) => resolve('reason' in fields ? String(fields.reason) : '') },
      random: () => 0,
    })
    t.teardown(() => client.close())
  })
}

/** Its certificate is of an authority that nobody trusts. */
async function otherAuthoritysServer(t: Test): Promise<number> {
  const validity = { now: Date.now(), lifetimeMs: DAY_MS }
  const { certificate, privateKey } = await issueServerCertificate(
    await issueAuthority(validity),
    ['localhost'],
    validity,
  )
  const server = createServer({ cert: certificate, key: privateKey.reveal(), ALPNProtocols: ['h2'] })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
