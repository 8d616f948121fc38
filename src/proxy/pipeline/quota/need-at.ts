/** What a call may use at a deployment, as it is sent there. */
import { needOf, type QuotaNeed } from '../../../domain/quota/need.ts'
import { formatOf } from '../../../domain/formats/registry.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import { familyOf } from '../../providers/registry.ts'
import { isAskedForItself } from '../planning/asked-model.ts'
import type { AskedAdmission } from '../admit.ts'

export function needAt(asked: AskedAdmission, deployment: Deployment): QuotaNeed {
  const { prompt, sampling } = asked
  const maxOutputTokens = loweredMaximum(sampling.maxOutputTokens ?? 0, asked, deployment)
  return needOf(prompt, maxOutputTokens === undefined ? sampling : { ...sampling, maxOutputTokens }, deployment)
}

/**
 * What is sent in the place of a maximum of `tokens`: the most that a model can say which the gateway has chosen or that speaks another
 * format. Its vendor refuses more, which the client asked of another. Undefined: it is not more, or the vendor's to refuse.
 */
export function loweredMaximum(
  tokens: number,
  { model, format }: Pick<AskedAdmission, 'model' | 'format'>,
  deployment: Deployment,
): number | undefined {
  const { maxOutputTokens } = deployment.model
  if (maxOutputTokens === undefined || tokens <= maxOutputTokens) return undefined
  const spoken = formatOf(familyOf(deployment.provider.type).format).name
  return isAskedForItself(deployment, model) && format === spoken ? undefined : maxOutputTokens
}
