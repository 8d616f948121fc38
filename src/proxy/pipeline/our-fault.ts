/** What to look at where a provider refuses this gateway and not the request: words for the log. */

/** Of a status that says the fault is ours: what it mostly is. Without the provider's words, which may quote. */
export function faultOf(status: number, model: string): string {
  if (status === 401 || status === 403) return "the provider refuses the Provider's key (credentials.secretRef)"
  if (status === 404 || status === 405) return `the provider knows no such path (endpoint.baseURL) or no model ${model}`
  if (status >= 300 && status < 400)
    return 'the provider has another address (endpoint.baseURL); redirects are not followed'
  return 'the provider refuses this gateway: its account, address or key'
}
