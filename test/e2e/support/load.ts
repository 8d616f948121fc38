/** The Deployment that is called under load. */
import { podSpec } from './pods.ts'

/** `assistant` in namespace `load`, with a Service. It leaves its Service before it stops, as any server behind one must. */
export function deployment(replicas: number, annotations: Readonly<Record<string, string>> = {}): readonly object[] {
  const spec = podSpec({})
  const [container] = spec.containers
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'assistant', namespace: 'load' },
      spec: {
        replicas,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        selector: { matchLabels: { app: 'assistant' } },
        template: {
          metadata: { labels: { app: 'assistant' }, annotations },
          spec: { ...spec, containers: [{ ...container, lifecycle: { preStop: { sleep: { seconds: 3 } } } }] },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'assistant', namespace: 'load' },
      spec: { selector: { app: 'assistant' }, ports: [{ port: 8080 }] },
    },
  ]
}
