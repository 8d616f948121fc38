import t from 'tap'
import { GatewayError } from '../../../../src/domain/errors.ts'
import { takeAll, type Steps } from '../../../../src/domain/steps.ts'
import { failingClosed } from '../../../../src/proxy/pipeline/guarding/failing-closed.ts'

/** Fails between two steps, as a detector in the middle of a long text. */
function* failing(error: unknown): Steps<string> {
  yield
  throw error
}

function* judging(): Steps<string> {
  yield
  return 'judged'
}

t.test('a guardrail that breaks refuses the request, without telling its client of what it broke on', async (t) => {
  const cause = new RangeError('of jane.roe@example.com')
  t.throws(() => takeAll(failingClosed(failing(cause))), { name: 'GatewayError', code: 'guardrail_failed', cause })
  try {
    takeAll(failingClosed(failing(cause)))
  } catch (error) {
    t.notMatch(String(error), 'jane.roe')
  }
})

t.test('what a guardrail refuses is told as it is, and so is what it finds', async (t) => {
  const refusal = new GatewayError('prompt_injection_detected', 'The request was blocked.')
  t.throws(() => takeAll(failingClosed(failing(refusal))), refusal)
  t.equal(takeAll(failingClosed(judging())), 'judged')
})
