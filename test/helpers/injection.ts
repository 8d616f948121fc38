/** Operators that inject sidecars into the pods of a real API server, registered with it by URL. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { asArray, asObject, asString } from '../../src/domain/json.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import type { KubeObject } from '../../src/operator/kube/kube-object.ts'
import { MUTATING_WEBHOOK_CONFIGURATIONS, PODS } from '../../src/operator/kube/resource.ts'
import { freePort } from './addresses.ts'
import type { CommandResult, ControlPlaneOptions } from './control-plane.ts'
import { startWorld } from './operator.ts'
import type { OperatorWorld, RunningOperator } from './operator.ts'
import { until } from './redis.ts'

const SERVICE_ACCOUNTS = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}
export const CONFIGURATION = 'tollgate-sidecar-injector'
export const IMAGE = 'docker.io/local/tollgate:1'
export const OPERATOR_ADDRESS = 'tollgate-operator.tollgate-system.svc:8443'

export interface InjectionWorld extends OperatorWorld {
  /** Ready, on the address that the webhook is registered with. */
  startInjecting(...flags: readonly string[]): Promise<RunningOperator>
  /** The webhook's configuration as Helm writes it: without a caBundle. */
  register(): Promise<void>
  caBundle(): Promise<string>
  /** `kubectl create`, with what it says. */
  tryCreate(pod: JsonObject, ...flags: readonly string[]): Promise<CommandResult>
  create(pod: JsonObject): Promise<KubeObject>
}

/** With the namespaces `enabled...` labelled for injection, each with the ServiceAccount `default`. */
export async function startInjectionWorld(
  t: Test,
  enabled: readonly string[],
  others: readonly string[] = [],
  settings: JsonObject = {},
  options: ControlPlaneOptions = {},
): Promise<InjectionWorld | undefined> {
  const world = await startWorld(t, [...enabled, ...others], options)
  if (world === undefined) return undefined
  const { plane } = world
  for (const name of enabled) await plane.kubectl('label', 'namespace', name, 'tollgate.dev/injection=enabled')
  for (const namespace of [...enabled, ...others]) {
    // A controller makes it, where there is one.
    if (options.controllers === true)
      await until(async () => (await world.read(SERVICE_ACCOUNTS, namespace, 'default')) !== undefined)
    else await plane.kubectl('create', 'serviceaccount', 'default', '-n', namespace)
  }
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-injection-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'injection.yaml')
  writeFileSync(file, JSON.stringify({ image: IMAGE, operatorAddress: OPERATOR_ADDRESS, ...settings }))
  const port = await freePort()
  const tryCreate = (pod: JsonObject, ...flags: readonly string[]) =>
    plane.tryKubectl(['create', '-o', 'json', '-f', '-', ...flags], JSON.stringify(pod))
  return {
    ...world,
    startInjecting: async (...flags) => {
      const service = ['--listen-webhook', `127.0.0.1:${port}`, '--certificate-names', 'localhost']
      const webhook = ['--injection', file, '--webhook-configuration', CONFIGURATION]
      const operator = await world.startOperator(...service, ...webhook, ...flags)
      await until(async () => (await operator.ready()) === 'ok')
      return operator
    },
    register: async () => {
      const { code, stderr } = await plane.tryKubectl(
        ['apply', '--server-side', '-f', '-'],
        JSON.stringify(webhookConfiguration(`https://localhost:${port}/inject`)),
      )
      if (code !== 0) throw new Error(stderr)
    },
    caBundle: async () => {
      const found = await world.read(MUTATING_WEBHOOK_CONFIGURATIONS, undefined, CONFIGURATION)
      const [webhook] = asArray(found?.['webhooks']).map(asObject)
      return Buffer.from(asString(asObject(webhook?.['clientConfig'])?.['caBundle']) ?? '', 'base64').toString()
    },
    tryCreate,
    create: async (pod) => {
      const { namespace, name } = { namespace: '', name: '', ...asObject(pod['metadata']) }
      const { code, stderr } = await tryCreate(pod)
      if (code !== 0) throw new Error(stderr)
      return plane.client.get(PODS, { namespace, name })
    },
  }
}

/** A pod with one container `app`; `spec` and `metadata` add or replace. */
export function pod(namespace: string, name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, ...metadata },
    spec: { serviceAccountName: 'default', containers: [{ name: 'app', image: 'app' }], ...spec },
  }
}

/** The container of this name, of whichever sort. */
export function containerOf(created: KubeObject, name: string): JsonObject | undefined {
  const spec = asObject(created['spec'])
  return [...asArray(spec?.['initContainers']), ...asArray(spec?.['containers'])]
    .map(asObject)
    .find((container) => container?.['name'] === name)
}

/** Values of a container's variables; those that come from elsewhere as `secret/entry` or `field:path`. */
export function envOf(created: KubeObject, container: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    asArray(containerOf(created, container)?.['env']).map((one) => {
      const entry = asObject(one)
      const secret = asObject(asObject(entry?.['valueFrom'])?.['secretKeyRef'])
      const field = asObject(asObject(entry?.['valueFrom'])?.['fieldRef'])
      const reference =
        secret === undefined
          ? `field:${asString(field?.['fieldPath'])}`
          : `${asString(secret['name'])}/${asString(secret['key'])}`
      return [asString(entry?.['name']) ?? '', asString(entry?.['value']) ?? reference]
    }),
  )
}

/** A MutatingWebhookConfiguration as the chart renders it, with a URL in the place of the Service. */
export function webhookConfiguration(url: string): JsonObject {
  const system = ['kube-system', 'kube-public', 'kube-node-lease', 'cert-manager', 'tollgate-system']
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: CONFIGURATION },
    webhooks: [
      {
        name: 'inject.tollgate.dev',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 5,
        failurePolicy: 'Fail',
        reinvocationPolicy: 'IfNeeded',
        matchPolicy: 'Equivalent',
        namespaceSelector: {
          matchExpressions: [
            { key: 'tollgate.dev/injection', operator: 'In', values: ['enabled'] },
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: system },
          ],
        },
        objectSelector: { matchExpressions: [{ key: 'tollgate.dev/inject', operator: 'NotIn', values: ['false'] }] },
        matchConditions: [
          {
            name: 'not-hostnetwork',
            expression: '!has(object.spec.hostNetwork) || !object.spec.hostNetwork',
          },
        ],
        rules: [
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: 'Namespaced' },
        ],
        clientConfig: { url },
      },
    ],
  }
}
