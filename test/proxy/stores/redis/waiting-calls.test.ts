import fc from 'fast-check'
import t from 'tap'
import { WaitingCalls } from '../../../../src/proxy/stores/redis/waiting-calls.ts'
import type { Call } from '../../../../src/proxy/stores/redis/waiting-calls.ts'

function call(timeoutMs: number): Call {
  const refuse = () => undefined
  const state = { round: 1, deadlineMs: 0, repliesBefore: 0, answered: false, givenUp: false }
  return { timeoutMs, refuse, ...state, previous: undefined, next: undefined }
}

function listed(calls: WaitingCalls): Call[] {
  const found: Call[] = []
  for (let one = calls.first; one !== undefined; one = one.next) found.push(one)
  return found
}

t.test('keeps those that were added and not removed, in their order', async (t) => {
  const steps = fc.array(fc.oneof(fc.constant(-1), fc.nat(12)), { maxLength: 40 })
  fc.assert(
    fc.property(steps, (chosen) => {
      const calls = new WaitingCalls()
      const all: Call[] = []
      let expected: Call[] = []
      for (const choice of chosen) {
        const known = all[choice]
        if (known === undefined) {
          const added = call(all.length)
          calls.add(added)
          all.push(added)
          expected.push(added)
        } else {
          // Also such as are no longer there.
          calls.remove(known)
          expected = expected.filter((one) => one !== known)
          if (known.previous !== undefined || known.next !== undefined) return false
        }
        const found = listed(calls)
        if (found.length !== expected.length || found.some((one, index) => one !== expected[index])) return false
      }
      return true
    }),
  )
  t.pass()
})
