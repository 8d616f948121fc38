/** What people are told of where Redis had lost something that is there again. */
import type { ObjectEvent } from '../kube/event-recorder.ts'

/** Of an organization. */
export function countersRestored(counters: number): ObjectEvent {
  const note = `Redis had lost ${counters} counters; they count on from what was known last`
  return { type: 'Warning', reason: 'CountersRestored', action: 'Restore', note }
}

/** Of the operator's namespace. */
export function configurationRepaired(shards: number): ObjectEvent {
  const note = `${shards} shards in Redis were not what had been published and were written again`
  return { type: 'Warning', reason: 'ConfigurationRepaired', action: 'Repair', note }
}
