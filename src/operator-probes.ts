/** The operator's checks of providers, over the data plane's transport: the same connections, paths and rules for addresses. Wiring only. */
import type { ProviderProber } from './operator/health/health-monitor.ts'
import { AttemptError } from './proxy/pipeline/ports.ts'
import { HttpTransport } from './proxy/providers/transport.ts'

export function createProber(): ProviderProber {
  const transport = new HttpTransport()
  return {
    async probe(provider, credential, signal) {
      const startedAt = performance.now()
      try {
        const status = await transport.probe({ provider, credential, signal })
        return { type: 'answer', status, latencyMs: performance.now() - startedAt }
      } catch (error) {
        return { type: 'no-answer', reason: error instanceof AttemptError ? error.kind : 'failed' }
      }
    },
    retain: (providers) => void transport.retain(providers),
  }
}
