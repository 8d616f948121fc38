/** A model without a price can be used as long as no budget has to know what it costs. */
import { GatewayError } from '../errors.ts'
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { QuotaPlan } from './limits.ts'

/** The deployments that may serve under the plan's budgets: all, or those with a price where some budget blocks. */
export function affordable(deployments: readonly Deployment[], plan: QuotaPlan): readonly Deployment[] {
  if (!plan.blocksOnCost) return deployments
  return deployments.filter(({ model }) => model.pricing !== undefined)
}

/** The refusal where no deployment is left. */
export function unpricedModelError(model: string): GatewayError {
  return new GatewayError('unpriced_model', `model "${model}" has no price and a budget applies to this key`, {
    param: 'model',
  })
}
