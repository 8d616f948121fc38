/** The two demo providers of `--demo`: one that fails every third call, so that the first minute shows a failover. */
import { startDemoProvider, type DemoProvider } from './demo-provider/server.ts'

export interface DemoProviders {
  /** Manifests that declare them, by file name. */
  readonly manifests: Readonly<Record<string, string>>
  close(): Promise<void>
}

const FAIL_EVERY = 3

/** Starts both on free ports of the loopback address. */
export async function startDemoProviders(): Promise<DemoProviders> {
  const failing = await startDemoProvider({ port: 0, name: 'demo-a', failEvery: FAIL_EVERY })
  const steady = await startDemoProvider({ port: 0, name: 'demo-b' })
  return {
    manifests: {
      '(demo)': [manifest('demo-a', failing, 10, 'it'), manifest('demo-b', steady, 20, 'fr')].join('---\n'),
    },
    async close() {
      await Promise.all([failing.close(), steady.close()])
    },
  }
}

/** `demo-large` comes behind `demo-small` of both, so that a failure of the first provider is made good by the second. */
function manifest(name: string, { url }: DemoProvider, priority: number, country: string): string {
  return `apiVersion: tollgate.dev/v1alpha1
kind: Provider
metadata: { name: ${name} }
spec:
  type: OpenAICompatible
  displayName: "Demo provider ${name} (no model behind it)"
  priority: ${priority}
  countries: [${country}]
  endpoint: { baseURL: "${url}/v1", allowInsecureHTTP: true }
  credentials: { type: None }
  models:
  - { name: demo-small, quality: 0.4, contextWindow: 32768, maxOutputTokens: 4096, capabilities: [chat, streaming, tools, json-mode, json-schema, vision], pricing: { input: "0.10", output: "0.40" } }
  - { name: demo-large, priority: 30, quality: 0.8, contextWindow: 131072, maxOutputTokens: 16384, capabilities: [chat, streaming, tools, json-mode, json-schema, vision], pricing: { input: "1.00", output: "4.00" } }
`
}
