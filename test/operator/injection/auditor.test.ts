/** Pods that the webhook missed, and sidecars that are out of date. */
import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { InjectionAuditor } from '../../../src/operator/injection/auditor.ts'
import type { Audit } from '../../../src/operator/injection/auditor.ts'
import { patchPod } from '../../../src/operator/injection/patch-pod.ts'
import { readSummary, summarizePod } from '../../../src/operator/injection/pod-summary.ts'
import { parseInjectionSettings } from '../../../src/operator/injection/settings.ts'
import type { ObjectEvent } from '../../../src/operator/kube/event-recorder.ts'
import { isKubeObject } from '../../../src/operator/kube/kube-object.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { issueAuthority } from '../../../src/operator/certificates/issue.ts'
import { applyPatch } from '../../helpers/json-patch.ts'
import { ManualTiming } from '../kube/manual-timing.ts'
import { recordedLog } from '../kube/recorded-log.ts'

const { certificate: TRUST } = await issueAuthority({ now: Date.now(), lifetimeMs: 86_400_000 })
const RULES = { isAllowedImage: (image: string) => image === 'tollgate:1', operatorAddress: 'operator:8443' }
const SETTINGS = parseInjectionSettings('{image: tollgate:1, operatorAddress: "operator:8443"}')

t.test('each minute the leader counts what was missed and tells it once', async (t) => {
  const timing = new ManualTiming()
  const audits: Audit[] = []
  const told: string[] = []
  let leads = true
  let pods: readonly KubeObject[] | undefined
  const auditor = new InjectionAuditor({
    pods: () => pods?.map((one) => summarizePod(one, RULES)),
    namespaces: () => [
      namespace('shop', 'enabled'),
      namespace('quiet', 'enabled'),
      namespace('plain', 'disabled'),
      namespace('kube-system', 'enabled'),
      namespace('system', 'enabled'),
    ],
    excluded: new Set(['kube-system', 'system']),
    configHash: () => 'today',
    events: {
      record: ({ metadata }, { reason, type }: ObjectEvent) => void told.push(`${metadata.name} ${type} ${reason}`),
    },
    timing,
    log: recordedLog(),
    isLeader: () => leads,
    onAudit: (audit) => void audits.push(audit),
  })
  auditor.start()
  await timing.advance(60_000)
  t.strictSame(audits, [], 'not before the pods are known')
  pods = [
    pod('shop', 'missed'),
    pod('shop', 'injected', 'today'),
    pod('shop', 'old', 'yesterday'),
    pod('shop', 'opted-out', undefined, { metadata: { labels: { 'tollgate.dev/inject': 'false' } } }),
    pod('shop', 'on-host', undefined, { spec: { hostNetwork: true } }),
    pod('shop', 'done', undefined, { status: { phase: 'Succeeded' } }),
    ...['plain', 'kube-system', 'system'].map((home) => pod(home, 'elsewhere')),
  ]
  await timing.advance(60_000)
  await timing.advance(60_000)
  const expected = {
    uninjected: new Map([
      ['shop', 1],
      ['quiet', 0],
    ]),
    stale: 1,
  }
  t.strictSame(audits, [expected, expected])
  t.strictSame(told, ['missed Warning SidecarMissing'])
  leads = false
  await timing.advance(60_000)
  t.strictSame(audits.at(-1), { uninjected: new Map(), stale: 0 }, 'who does not lead counts nothing')
  auditor.stop()
  await timing.advance(600_000)
  t.equal(audits.length, 3)
})

t.test('the summary of a pod says whether its sidecar is as injected', async (t) => {
  const good = readSummary(summarizePod(pod('shop', 'a', 'today'), RULES))
  t.match(good, { problem: '', hasNamesake: true, configHash: 'today', authorities: [/^[0-9a-f]{32}$/] })
  const bare = readSummary(summarizePod(pod('shop', 'b'), RULES))
  t.match(bare, { problem: /no init container tollgate/, hasNamesake: false })
  const watched = pod('shop', 'c', 'today', {
    spec: { ephemeralContainers: [{ name: 'debug', volumeMounts: [{ name: 'tollgate-identity', mountPath: '/x' }] }] },
  })
  t.match(readSummary(summarizePod(watched, RULES)), { problem: /container debug mounts its token/ })
})

function namespace(name: string, injection: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'tollgate.dev/injection': injection } } }
}

function pod(home: string, name: string, injectedWith?: string, parts: JsonObject = {}): KubeObject {
  const plain: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    ...parts,
    metadata: { namespace: home, name, uid: `${home}/${name}`, ...Object(parts['metadata']) },
    spec: { containers: [{ name: 'app' }], ...Object(parts['spec']) },
  }
  const result = injectedWith === undefined ? plain : injected(plain, injectedWith)
  if (!isKubeObject(result)) throw new Error('no pod')
  return result
}

function injected(plain: JsonObject, configHash: string): JsonObject {
  const wishes = { ...SETTINGS, virtualKey: undefined, await: true }
  const spec = { ...Object(plain['spec']) }
  delete spec.ephemeralContainers
  const patch = patchPod({ ...plain, spec }, { wishes, trust: TRUST, configHash, env: undefined, rules: RULES })
  if (patch.type === 'refused') throw new Error(patch.message)
  return applyPatch(plain, patch.operations)
}
