/** Specification section 4.2, X-LLM-Trace: which steps each kind of call leaves in the log (docs/operations.md). */
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { provider, startGateway, virtualKey, yaml, type LogLine } from '../helpers/gateway.ts'

const upstream = await startFakeProvider()
t.teardown(() => upstream.close())

const gateway = await startGateway(t, {
  manifests: {
    'all.yaml': yaml(
      provider({ name: 'first', url: upstream.url, models: ['{ name: m, capabilities: [chat, embeddings] }'] }),
      virtualKey(),
    ),
  },
})

const VECTORS = {
  object: 'list',
  model: 'm',
  data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
  usage: { prompt_tokens: 2, total_tokens: 2 },
}
const EMBEDDINGS = { messages: undefined, model: 'm', input: 'x' }

/** The step log of one call. */
async function stepsOf(body: object, flags: string, path?: string): Promise<LogLine[]> {
  const headers = { 'x-llm-trace': 'true', ...(flags === '' ? {} : { 'x-llm-flags': flags }) }
  const answer = await gateway.chat(body, headers, path)
  await answer.text()
  const id = answer.headers.get('x-request-id')
  await gateway.line((line) => line['type'] === 'audit' && line['requestId'] === id)
  return gateway.lines.filter((line) => line['msg'] === 'trace' && line['requestId'] === id)
}

const namesOf = (steps: readonly LogLine[]) => steps.map((line) => line['step'])

t.test('a guardrail that lets a request pass is a step, whichever it is', async (t) => {
  upstream.otherwise(ok(chatCompletion('hello')))
  for (const flags of ['adversarial-detection', 'pii-safe', 'pii-safe, adversarial-detection']) {
    const names = namesOf(await stepsOf({}, flags))
    t.equal(names.filter((name) => name === 'guard-request').length, 1, flags)
  }
  t.notOk(namesOf(await stepsOf({}, '')).includes('guard-request'))
})

t.test('embeddings leave all steps', async (t) => {
  upstream.otherwise(ok(VECTORS))
  const steps = await stepsOf(EMBEDDINGS, 'pii-safe', '/v1/embeddings')
  t.match(steps, [
    { step: 'resolve-policy', virtualKey: 'default/test', flags: ['pii-safe'] },
    { step: 'read-request', bytes: Number, stream: false },
    { step: 'plan-route', candidates: ['first/m'], removed: [] },
    { step: 'admit' },
    { step: 'guard-request', findings: {} },
    { step: 'embed', served: 'first/m', attempts: [{ deploymentId: 'first/m', result: 'ok' }] },
    { step: 'settle', outcome: 'answered' },
  ])
})

t.test('embeddings that are refused leave those before the refusal', async (t) => {
  const unknown = await stepsOf({ ...EMBEDDINGS, model: 'other' }, '', '/v1/embeddings')
  t.match(unknown, [
    { step: 'resolve-policy' },
    { step: 'read-request' },
    { step: 'plan-route', candidates: [] },
    { step: 'settle', error: 'model_not_found' },
  ])
})

t.test('a token count leaves all steps but those of admission and answer', async (t) => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }
  const steps = await stepsOf(body, 'pii-safe', '/adapters/anthropic/v1/messages/count_tokens')
  t.same(namesOf(steps), ['resolve-policy', 'read-request', 'plan-route', 'guard-request', 'settle'])
})
