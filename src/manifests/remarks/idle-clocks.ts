/** Clocks of a Provider that never run out, as the one over all of an attempt ends it before. */
import { parseDuration } from '../../domain/resources/durations.ts'
import type { ProviderResource } from '../../domain/resources/kinds.ts'
import type { ManifestResources } from '../load.ts'
import type { Remark } from './remark.ts'

/** With their defaults, which nobody has written: a short total alone is no slip. */
const CLOCKS = [
  ['connect', '5s'],
  ['firstByte', undefined],
  ['streamIdle', '60s'],
] as const

/** In the order of the manifests. */
export function idleClocks({ providers }: ManifestResources): readonly Remark[] {
  return providers.flatMap(idleIn)
}

function idleIn(resource: ProviderResource): Remark[] {
  const { timeouts } = resource.spec
  const totalMs = parseDuration(timeouts.total)
  return CLOCKS.flatMap(([name, byDefault]) => {
    const stated = timeouts[name]
    if (stated === undefined || stated === byDefault || parseDuration(stated) <= totalMs) return []
    const message = `${stated} is never reached: spec.timeouts.total ends an attempt after ${timeouts.total}`
    return [{ resource, field: ['spec', 'timeouts', name], message }]
  })
}
