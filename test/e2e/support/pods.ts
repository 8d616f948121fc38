/** Pods of the tests' applications (images/build), as their owners would write them: nothing in them knows of a gateway. */
import { apply, eventually, manifestText, fieldsOf, get, kubectl, list, type Fields } from './kubectl.ts'
import type { Test } from 'tap'

export type Language = 'node' | 'python'

/** The program of a language's image, and how to have it ask one question. */
export const PROGRAM: Readonly<Record<Language, readonly string[]>> = {
  node: ['node', '/app/app.mjs'],
  python: ['python3', '/app/app.py'],
}

export interface PodOptions {
  readonly name: string
  readonly namespace: string
  readonly language?: Language
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** Of the pod. */
  readonly securityContext?: object
  /** More fields of its spec. */
  readonly spec?: object
}

/** A pod with one application that serves `/ask` on 8080. */
export function appPod(options: PodOptions): object {
  const { name, namespace, labels = {}, annotations = {} } = options
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name, ...labels }, annotations },
    spec: podSpec(options),
  }
}

export function podSpec({ language = 'node', securityContext, spec = {} }: Omit<PodOptions, 'name' | 'namespace'>) {
  return {
    terminationGracePeriodSeconds: 30,
    ...(securityContext === undefined ? {} : { securityContext }),
    containers: [
      {
        name: 'app',
        image: image(language),
        command: PROGRAM[language],
        ports: [{ containerPort: 8080 }],
        readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, timeoutSeconds: 5 },
      },
    ],
    ...spec,
  }
}

export function image(language: Language): string {
  return `docker.io/local/${language}-app:1`
}

/** Makes pods that end with the test file: each takes memory. */
export async function start(t: Test, ...pods: readonly object[]): Promise<void> {
  t.teardown(() => kubectl(['delete', '--wait=false', '--ignore-not-found', '-f', '-'], manifestText(pods)))
  await apply(pods)
}

/** Waits until the pod is ready, and returns it. */
export async function readyPod(namespace: string, name: string, seconds = 90): Promise<Fields> {
  return eventually(
    `pod ${namespace}/${name} ready`,
    async () => {
      const pod = await get('pod', name, namespace)
      const ready = pod?.list('status', 'conditions').find((condition) => condition.text('type') === 'Ready')
      if (pod === undefined || ready?.text('status') !== 'True') throw new Error(`it is ${whyNot(pod)}`)
      return pod
    },
    seconds,
  )
}

/** Names of the pods that are ready. */
export async function readyPods(namespace: string, selector: string): Promise<readonly string[]> {
  const pods = await list('pods', namespace, selector)
  const isReady = (pod: Fields) =>
    pod.at('metadata', 'deletionTimestamp') === undefined &&
    pod.list('status', 'conditions').some((c) => c.text('type') === 'Ready' && c.text('status') === 'True')
  return pods.filter(isReady).map((pod) => pod.text('metadata', 'name'))
}

/** Runs a program in a container of a pod; its output, whatever its exit code. */
export async function exec(
  namespace: string,
  pod: string,
  container: string,
  command: readonly string[],
): Promise<string> {
  return kubectl(['-n', namespace, 'exec', pod, '-c', container, '--', ...command])
}

function whyNot(pod: Fields | undefined): string {
  if (pod === undefined) return 'not there'
  const states = [...pod.list('status', 'initContainerStatuses'), ...pod.list('status', 'containerStatuses')]
  const parts = states.map((state) => `${state.text('name')} ${JSON.stringify(fieldsOf(state.at('state')).at())}`)
  return `${pod.text('status', 'phase')}: ${parts.join('; ')}`
}
