/** What a policy decides, seen by an application: budgets and failover. */
import t from 'tap'
import { appPod, readyPod, start } from './support/pods.ts'
import { platform } from './support/platform.ts'
import { reach } from './support/reach.ts'

await platform()
const cluster = await reach(t)
await start(
  t,
  appPod({ name: 'poor', namespace: 'apps', annotations: { 'tollgate.dev/virtual-key': 'poor' } }),
  appPod({ name: 'rich', namespace: 'apps', annotations: { 'tollgate.dev/virtual-key': 'whole' } }),
)
await readyPod('apps', 'poor')
await readyPod('apps', 'rich')

t.test('a spent budget is a 429 that names it, in the words of either SDK, and reaches no vendor', async (t) => {
  // What is reserved is a token for each byte of the prompt; what is charged is less, so that a few calls pass.
  const prompt = `${'spend '.repeat(1_000)} 20 pieces`
  let asked = 0
  let answer = await cluster.ask('apps', 'pods/poor:8080', { prompt, maxTokens: 300 })
  t.equal(answer.status, 200, 'the first is paid for')
  while (answer.status === 200 && asked++ < 20)
    answer = await cluster.ask('apps', 'pods/poor:8080', { prompt, maxTokens: 300 })
  t.equal(answer.status, 429)
  t.equal(answer.code, 'budget_exceeded')
  t.equal(answer.headers['x-should-retry'], 'false')
  await cluster.vendor('a').set({})
  const other = await cluster.ask('apps', 'pods/poor:8080', { sdk: 'anthropic', prompt, maxTokens: 300 })
  t.equal(other.status, 429)
  t.match(other.message, /budget/i)
  t.same(await cluster.vendor('a').log(), [])
  t.equal((await cluster.ask('apps', 'pods/rich:8080', { prompt, maxTokens: 300 })).status, 200, 'others go on')
})

t.test('a vendor that fails is passed over, whole and as a stream, and the trace says so', async (t) => {
  await cluster.vendor('a').set({ failWith: 503 })
  t.teardown(() => cluster.vendor('a').set({ failWith: 0 }))
  for (const stream of [false, true]) {
    const answer = await cluster.ask('apps', 'pods/rich:8080', {
      stream,
      prompt: `Who answers ${stream ? 'a stream' : 'whole'}?`,
      headers: { 'x-llm-trace': 'true' },
    })
    t.match(answer.text, /^b was asked: Who answers/)
    const decision = answer.headers['x-gateway-routing-decision']
    t.match(decision, /vendor-a\/model-a;result=error;status=503;.*vendor-b\/model-b;result=ok/)
    t.match(answer.headers['x-gateway-request-id'], /^[0-9a-f-]{36}$/)
  }
})

t.test("all vendors failing is a 502 without a vendor's words", async (t) => {
  for (const name of ['a', 'b']) await cluster.vendor(name).set({ failWith: 500 })
  const answer = await cluster.ask('apps', 'pods/rich:8080', { prompt: 'Anybody?' })
  for (const name of ['a', 'b']) await cluster.vendor(name).set({ failWith: 0 })
  t.match(String(answer.status), /^50[23]$/)
  t.notMatch(answer.message, 'told to fail')
})
