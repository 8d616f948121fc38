/** What a pod says that means something else than it seems to. */
import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { unknownAnnotations, type PodWishes } from '../../../src/operator/injection/annotations.ts'
import { parseInjectionSettings } from '../../../src/operator/injection/settings.ts'
import { slipsOf } from '../../../src/operator/injection/slips.ts'

const OPERATOR = 'tollgate-operator.tollgate-system.svc:8443'

function slips(metadata: JsonObject, spec: JsonObject = {}, operatorAddress = OPERATOR): readonly string[] {
  const settings = parseInjectionSettings(JSON.stringify({ image: 'tollgate:1', operatorAddress }))
  const wishes: PodWishes = { ...settings, dataPort: 5_000, virtualKey: undefined, await: true }
  return slipsOf({ metadata, spec }, wishes)
}

const listening = (ports: JsonObject[], name = 'app') => ({ containers: [{ name, ports }] })

t.test('labels and annotations that are taken for each other', async (t) => {
  const cure =
    'what keeps the sidecar out is the label tollgate.dev/inject="false" of the pod (in a Deployment: of its template)'
  const inject = { 'tollgate.dev/inject': 'no' }
  t.strictSame(slips({ labels: inject }), [`label tollgate.dev/inject=no says nothing: ${cure}`])
  t.strictSame(slips({ annotations: inject }), [`annotation tollgate.dev/inject says nothing: ${cure}`])
  t.strictSame(unknownAnnotations({ metadata: { annotations: inject } }), [], 'told once')
  t.strictSame(slips({ labels: { 'tollgate.dev/virtual-key': 'x' } }), [
    'label tollgate.dev/virtual-key says nothing: it is an annotation',
  ])
  t.strictSame(slips({ labels: { 'tollgate.dev/inject': 'true', app: 'x' }, annotations: { app: 'x' } }), [])
})

t.test('a port that both would listen on', async (t) => {
  t.strictSame(slips({}, listening([{ containerPort: 80 }, { containerPort: 5_000 }])), [
    'container app states port 5000, where the sidecar listens: one of them cannot; set the annotation tollgate.dev/port to another',
  ])
  t.match(slips({}, listening([{ containerPort: 4_142, protocol: 'TCP' }])), [/port 4142, .* let the application/])
  t.strictSame(slips({}, listening([{ containerPort: 5_000, protocol: 'UDP' }])), [])
  t.strictSame(slips({}, { initContainers: [{ name: 'tollgate', ports: [{ containerPort: 4_142 }] }] }), [], 'its own')
})

t.test("the node's DNS does not know the operator", async (t) => {
  t.match(slips({}, { dnsPolicy: 'Default' }), [/^dnsPolicy Default .* does not know tollgate-operator.*Init:0\/1/])
  t.strictSame(slips({}, { dnsPolicy: 'ClusterFirst' }), [])
  t.strictSame(slips({}, { dnsPolicy: 'Default' }, '10.1.2.3:8443'), [], 'an address of another kind')
})
