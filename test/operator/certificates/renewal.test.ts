/** The plan of renewals, over the whole life of an authority. */
import { X509Certificate } from 'node:crypto'
import t from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import { issueAuthority, issueServerCertificate } from '../../../src/operator/certificates/issue.ts'
import {
  nextRenewal,
  renewAuthority,
  serverRenewalReason,
  trustOf,
} from '../../../src/operator/certificates/renewal.ts'
import type { AuthorityState } from '../../../src/operator/certificates/renewal.ts'
import { parseServingCertificate, splitPem } from '../../../src/operator/certificates/serving-certificate.ts'
import { authorityData, parseAuthority, serverData } from '../../../src/operator/certificates/authority-secrets.ts'
import { fingerprints } from '../../../src/operator/injection/pod-summary.ts'
import { DAY_MS } from '../../helpers/clock.ts'

const BEGIN = Date.UTC(2030, 0, 1)
const LIFE_DAYS = 100
const NAMES = ['tollgate', 'tollgate.ns.svc']

const issueAt = (now: number) => () => issueAuthority({ now, lifetimeMs: LIFE_DAYS * DAY_MS })
const secretOf = (data: ReturnType<typeof serverData>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'ns', name: 's' },
  data,
})
async function serve(state: AuthorityState, now: number, lifetimeMs = 9 * DAY_MS) {
  const issued = await issueServerCertificate(state.signer, NAMES, { now, lifetimeMs })
  return parseServingCertificate(secretOf(serverData(issued, trustOf(state))))
}

t.test(
  'day by day: an authority signs only when it has been trusted for a tenth of a life, and is trusted to its end',
  async (t) => {
    let state = await renewAuthority(undefined, BEGIN, issueAt(BEGIN))
    const trustedSince = new Map<string, number>([[state.signer.certificate, -100]])
    for (let day = 0; day < 3 * LIFE_DAYS; day++) {
      const now = BEGIN + day * DAY_MS
      const next = await renewAuthority(state, now, issueAt(now))
      for (const one of splitPem(trustOf(next))) if (!trustedSince.has(one)) trustedSince.set(one, day)
      if (next.signer.certificate !== state.signer.certificate) {
        const since = day - (trustedSince.get(next.signer.certificate) ?? day)
        if (since < 9) t.fail(`trusted for ${since} days only`)
        if (!trustOf(next).includes(state.signer.certificate)) t.fail('the former is not trusted any more')
      }
      if (new X509Certificate(next.signer.certificate).validToDate.getTime() <= now) t.fail('an ended authority signs')
      if (splitPem(trustOf(next)).length > 2) t.fail('more than two are trusted')
      state = next
    }
    t.equal(trustedSince.size, 4, 'one more for each eighty or so days')
  },
)

t.test('an operator that was away for years begins anew', async (t) => {
  const state = await renewAuthority(undefined, BEGIN, issueAt(BEGIN))
  const now = BEGIN + 5 * LIFE_DAYS * DAY_MS
  const next = await renewAuthority(state, now, issueAt(now))
  t.not(next.signer.certificate, state.signer.certificate)
  t.strictSame(splitPem(trustOf(next)), [next.signer.certificate])
})

t.test('a lost authority stays trusted beside the new one', async (t) => {
  const lost = await renewAuthority(undefined, BEGIN, issueAt(BEGIN))
  const state = await renewAuthority(undefined, BEGIN + DAY_MS, issueAt(BEGIN + DAY_MS), trustOf(lost))
  t.strictSame(splitPem(trustOf(state)), [lost.signer.certificate, state.signer.certificate])
  const server = await serve(lost, BEGIN)
  t.equal(serverRenewalReason(server, { names: NAMES, lifetimeMs: 9 * DAY_MS, state }, BEGIN + DAY_MS), undefined)
})

t.test('what was made while the clock was ahead is made again, and the authority stays trusted', async (t) => {
  const early = await renewAuthority(undefined, BEGIN + DAY_MS, issueAt(BEGIN + DAY_MS))
  const state = await renewAuthority(early, BEGIN, issueAt(BEGIN))
  t.not(state.signer.certificate, early.signer.certificate)
  t.strictSame(splitPem(trustOf(state)), [early.signer.certificate, state.signer.certificate])
  t.equal(await renewAuthority(state, BEGIN, issueAt(BEGIN)), state)
  const wanted = { names: NAMES, lifetimeMs: 9 * DAY_MS, state }
  t.equal(serverRenewalReason(await serve(state, BEGIN + DAY_MS), wanted, BEGIN), 'not valid yet')
})

t.test('why a certificate is issued', async (t) => {
  const state = await renewAuthority(undefined, BEGIN, issueAt(BEGIN))
  const server = await serve(state, BEGIN)
  const wanted = { names: NAMES, lifetimeMs: 9 * DAY_MS, state }
  t.equal(serverRenewalReason(undefined, wanted, BEGIN), 'missing')
  t.equal(serverRenewalReason(server, wanted, BEGIN + 5 * DAY_MS), undefined)
  t.equal(serverRenewalReason(server, wanted, BEGIN + 6 * DAY_MS), 'due')
  t.equal(serverRenewalReason(server, { ...wanted, names: ['other'] }, BEGIN), 'other names')
  t.equal(serverRenewalReason(server, { ...wanted, lifetimeMs: DAY_MS }, BEGIN), 'longer than wanted')
  const foreign = await renewAuthority(undefined, BEGIN, issueAt(BEGIN))
  t.equal(serverRenewalReason(server, { ...wanted, state: foreign }, BEGIN), 'unknown authority')
  t.ok(nextRenewal(state, server) <= BEGIN + 6 * DAY_MS)
})

t.test('a server certificate ends no later than its authority', async (t) => {
  const state = await renewAuthority(undefined, BEGIN, issueAt(BEGIN))
  const server = await serve(state, BEGIN + 95 * DAY_MS)
  t.equal(server.notAfterMs, new X509Certificate(state.signer.certificate).validToDate.getTime())
})

t.test('Secrets hold what was put in, and say what is wrong without showing it', async (t) => {
  const now = BEGIN + 85 * DAY_MS
  const state = await renewAuthority(await renewAuthority(undefined, BEGIN, issueAt(BEGIN)), now, issueAt(now))
  t.ok(state.next)
  const read = parseAuthority(secretOf(authorityData(state)))
  t.equal(trustOf(read), trustOf(state))
  t.equal(read.next?.privateKey.reveal(), state.next?.privateKey.reveal())
  const mixed = { ...state, signer: { ...state.signer, privateKey: state.next?.privateKey ?? new Secret('') } }
  t.throws(() => parseAuthority(secretOf(authorityData(mixed))), {
    message: /tls.key of Secret ns\/s is not the key of tls.crt/,
  })
  t.throws(() => parseAuthority(secretOf({})), { message: /no entries/ })
  const leaf = await issueServerCertificate(state.signer, NAMES, { now, lifetimeMs: DAY_MS })
  t.throws(() => parseAuthority(secretOf(authorityData({ signer: leaf, previous: [] }))), { message: /no authority's/ })
  t.throws(() => parseServingCertificate(secretOf(serverData(leaf, ''))), { message: /no entry ca.crt/ })
  t.throws(() => parseServingCertificate(secretOf(serverData(leaf, 'text'))), { message: /ca.crt of .* is no PEM/ })
})

t.test(
  'what stands between certificates is left out of what sidecars trust, and never taken for ours in a pod',
  async (t) => {
    const state = await renewAuthority(undefined, BEGIN, issueAt(BEGIN))
    const leaf = await issueServerCertificate(state.signer, NAMES, { now: BEGIN, lifetimeMs: DAY_MS })
    const trust = `# team's authority\n${state.signer.certificate}\n# end\n`
    t.equal(parseServingCertificate(secretOf(serverData(leaf, trust))).trust, state.signer.certificate)
    t.equal(fingerprints(state.signer.certificate)?.length, 1)
    t.equal(fingerprints(trust), undefined)
    // OpenSSL reads this as a certificate too.
    const smuggled = state.signer.certificate.replaceAll(' CERTIFICATE-', ' TRUSTED CERTIFICATE-')
    t.equal(fingerprints(`${state.signer.certificate}${smuggled}`), undefined)
  },
)
