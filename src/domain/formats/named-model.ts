import type { RenderTarget } from './format.ts'

/** Whether `name`, which the client gave, is this very model: by the provider's own name for it, or with the provider before it. An alias is not. */
export function isUpstreamName(name: unknown, { model, provider }: Pick<RenderTarget, 'model' | 'provider'>): boolean {
  return name === model || (provider !== undefined && name === `${provider}/${model}`)
}
