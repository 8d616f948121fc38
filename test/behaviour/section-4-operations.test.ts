/** Specification section 4.1: the operations, through the official OpenAI SDK and plain HTTP. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { ok, stream } from '../helpers/behaviours.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'

t.test('the official OpenAI SDK over both base URLs', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })

  for (const base of ['/v1', '/adapters/openai/v1']) {
    // Equal questions are meant to reach the provider here.
    const defaultHeaders = { 'cache-control': 'no-store' }
    const client = new OpenAI({ apiKey: KEY, baseURL: gateway.url + base, maxRetries: 0, defaultHeaders })
    const messages = [{ role: 'user' as const, content: 'hello' }]

    await t.test(`${base}: a whole answer`, async (t) => {
      upstream.enqueue(ok(chatCompletion('good day')))
      const answer = await client.chat.completions.create({ model: 'm', messages })
      t.equal(answer.choices[0]?.message.content, 'good day')
    })

    await t.test(`${base}: a stream without usage that was not asked for`, async (t) => {
      upstream.enqueue(stream(chatStream(['good ', 'day'])))
      const chunks = await Array.fromAsync(await client.chat.completions.create({ model: 'm', messages, stream: true }))
      t.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), 'good day')
      t.ok(chunks.every((chunk) => chunk.usage == null && chunk.choices.length > 0))
      t.strictSame(upstream.requests.at(-1)?.json?.['stream_options'], { include_usage: true })
    })

    await t.test(`${base}: a stream with the usage that was asked for`, async (t) => {
      upstream.enqueue(stream(chatStream(['good ', 'day'])))
      const chunks = await Array.fromAsync(
        await client.chat.completions.create({
          model: 'm',
          messages,
          stream: true,
          stream_options: { include_usage: true },
        }),
      )
      t.type(chunks.at(-1)?.usage?.total_tokens, 'number')
    })

    await t.test(`${base}: the models list holds what the key may use and auto`, async (t) => {
      const ids = (await Array.fromAsync(await client.models.list())).map((model) => model.id)
      t.strictSame(ids, ['auto', 'm'])
      t.equal((await client.models.retrieve('m')).id, 'm')
      await t.rejects(client.models.retrieve('other'), { status: 404, code: 'model_not_found' })
    })
  }
})

const GOVERNED = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  compliance: { deniedProviders: [denied], maxCostPer1K: "0.5" }
  grants: [{ name: all, namespaceSelector: {} }]
`

t.test('the models lists leave out what policy and control headers exclude, as a call would', async (t) => {
  const priced = (name: string, output: string) => `{ name: ${name}, pricing: { input: "1", output: "${output}" } }`
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        GOVERNED,
        provider({ name: 'denied', url: 'http://127.0.0.1:9', models: [priced('shared', '2'), priced('theirs', '2')] }),
        provider({ name: 'p', url: 'http://127.0.0.1:9', models: [priced('shared', '2'), priced('dear', '900')] }),
        provider({ name: 'q', url: 'http://127.0.0.1:9', models: [priced('left', '2'), priced('unwanted', '2')] }),
        virtualKey({ spec: '  policies: { excludeModels: [unwanted] }' }),
      ),
    },
  })
  const get = (path: string, headers = {}) =>
    fetch(gateway.url + path, { headers: { authorization: `Bearer ${KEY}`, ...headers } })
  const listed = async (headers = {}) => {
    const { data } = (await (await get('/v1/models', headers)).json()) as { data: { id: string; owned_by: string }[] }
    return data.map(({ id, owned_by }) => `${owned_by}/${id}`)
  }
  t.strictSame(await listed(), ['tollgate/auto', 'p/shared', 'q/left'])
  t.strictSame(await listed({ 'x-llm-exclude-providers': 'q' }), ['tollgate/auto', 'p/shared'])
  t.strictSame(await listed({ 'x-llm-exclude-providers': 'p,q' }), [], 'nor auto, with nothing to choose from')
  for (const id of ['theirs', 'denied/shared', 'dear', 'unwanted'])
    t.equal((await get(`/v1/models/${id}`)).status, 404, id)
  const names = (await (await get('/adapters/gemini/v1beta/models')).json()) as { models: { name: string }[] }
  t.strictSame(
    names.models.map(({ name }) => name),
    ['models/auto', 'models/shared', 'models/left'],
  )
})

t.test('fields that the gateway does not know reach the provider and the client', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  upstream.enqueue(ok({ ...chatCompletion('x'), vendor_field: { deep: [1, null] } }))
  const unknown = { logit_bias: { 50256: -100 }, future: { a: [true] }, seed: 7, top_logprobs: 2, logprobs: true }
  const answer = (await (await gateway.chat(unknown)).json()) as Record<string, unknown>
  t.match(upstream.requests[0]?.json, unknown)
  t.strictSame(answer['vendor_field'], { deep: [1, null] })
})

t.test("a call that is not offered is a 404 that names it, with the vendor's request id", async (t) => {
  const gateway = await startGateway(t, { manifests: { 'all.yaml': virtualKey() } })
  const openai = new OpenAI({ apiKey: KEY, baseURL: `${gateway.url}/adapters/openai/v1`, maxRetries: 0 })
  await t.rejects(openai.images.generate({ model: 'm', prompt: 'hello' }), {
    status: 404,
    code: 'route_not_found',
    message: /POST \/adapters\/openai\/v1\/images\/generations; offered are v1\/chat\/completions, /,
  })
  const anthropic = new Anthropic({ apiKey: KEY, baseURL: `${gateway.url}/adapters/anthropic`, maxRetries: 0 })
  const refusal: unknown = await anthropic.messages.batches.retrieve('b').catch((error: unknown) => error)
  t.match(refusal, { status: 404, requestID: /^[0-9a-f-]{36}$/ })
  t.match(String(refusal), '/adapters/anthropic/v1/messages/batches/b')
  const secret = await fetch(`${gateway.url}/adapters/gemini/v1beta/files?key=${KEY}`)
  t.notMatch(await secret.text(), KEY)
})

t.test('client headers stay with the gateway', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const gateway = await startGateway(t, {
    manifests: { 'all.yaml': yaml(provider({ name: 'p', url: upstream.url }), virtualKey()) },
  })
  upstream.enqueue(ok(chatCompletion('x')))
  await gateway.chat(
    {},
    { cookie: 'session=1', 'x-internal': 'secret', 'openai-organization': 'org-1', forwarded: 'for=1' },
  )
  const headers = upstream.requests[0]?.headers ?? {}
  for (const name of ['cookie', 'x-internal', 'openai-organization', 'forwarded', 'authorization'])
    t.notOk(headers[name], name)
  t.notMatch(JSON.stringify(headers), KEY)
})
