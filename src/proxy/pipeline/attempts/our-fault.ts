/** What to look at where a provider refuses this gateway and not the request: words for the log. */
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'

/** Of a status that says the fault is ours: what it mostly is. Without the provider's words, which may quote. */
export function faultOf(status: number, { provider, model: { upstreamName: model } }: Deployment): string {
  const hasKey = provider.credentials.type !== 'None'
  if (hasKey && (status === 401 || status === 403))
    return "the provider refuses the Provider's key (credentials.secretRef)"
  if (status === 401) return 'the provider wants a key, of which the Provider has none (credentials.type: None)'
  if (status === 404 || status === 405) return `the provider knows no such path (endpoint.baseURL) or no model ${model}`
  if (status >= 300 && status < 400)
    return 'the provider has another address (endpoint.baseURL); redirects are not followed'
  return 'the provider refuses this gateway: its account, address or key'
}
