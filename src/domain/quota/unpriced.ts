/** A model without a price can be used as long as no budget has to know what it costs. */
import { GatewayError } from '../errors.ts'
import type { Deployment } from '../snapshot/compiled-snapshot.ts'
import type { QuotaPlan } from './limits.ts'

/** A client's own text in a message is cut here. */
const MAX_ECHO = 128

/** Whether a deployment may serve under the plan's budgets: where some budget blocks, its price must be known. */
export function canAfford({ model }: Deployment, plan: QuotaPlan): boolean {
  return !plan.blocksOnCost || model.pricing !== undefined
}

/** The refusal where no deployment is left. @param model that the client named; undefined: it left the choice to us */
export function unpricedModelError(model: string | undefined): GatewayError {
  const what =
    model === undefined
      ? 'none of the models that may answer has a price'
      : `model "${model.slice(0, MAX_ECHO)}" has no price`
  return new GatewayError('unpriced_model', `${what} and a budget applies to this key`, { param: 'model' })
}
