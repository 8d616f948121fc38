/** A model without a price can be used as long as no budget has to know what it costs. */
import { GatewayError } from '../errors.ts'
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { QuotaPlan } from './limits.ts'

/** Whether a deployment may serve under the plan's budgets: where some budget blocks, its price must be known. */
export function canAfford({ model }: Deployment, plan: QuotaPlan): boolean {
  return !plan.blocksOnCost || model.pricing !== undefined
}

/** The refusal where no deployment is left. */
export function unpricedModelError(model: string): GatewayError {
  return new GatewayError('unpriced_model', `model "${model}" has no price and a budget applies to this key`, {
    param: 'model',
  })
}
