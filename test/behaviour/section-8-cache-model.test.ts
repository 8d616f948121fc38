/**
 * DESIGN section 7 against a model: 10,000 random requests of two organizations, through two gateways on one Redis,
 * in all client formats, whole and streamed. The provider puts a number into every answer and the test knows which
 * request each number was made for: an answer from the cache must have been made for an equal request.
 */
import t from 'tap'
import type { SseEvent } from '../../src/domain/formats/format.ts'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { ok, stream } from '../helpers/behaviours.ts'
import { organization, seededChance, stateFolder } from '../helpers/cache-scene.ts'
import { readChatStream } from '../helpers/chat-completions-grammar.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { readGeminiStream } from '../helpers/gemini-grammar.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { readMessagesStream } from '../helpers/messages-grammar.ts'
import { startRedis } from '../helpers/redis.ts'

const REQUESTS = 10_000
const WORKERS = 16

const KEYS = [
  { name: 'one', organization: 'a', project: 'p1', restores: true },
  { name: 'two', organization: 'a', project: 'p1', restores: false },
  { name: 'three', organization: 'a', project: 'p2', restores: true },
  { name: 'four', organization: 'b', project: 'p1', restores: true },
] as const
const MODELS = ['m', 'k'] as const
const FORMATS = ['chat', 'messages', 'gemini'] as const
const NAMES = ['anna', 'bob', 'carla', 'dora'] as const

interface Ask {
  readonly key: (typeof KEYS)[number]
  readonly format: (typeof FORMATS)[number]
  readonly streamed: boolean
  readonly model: (typeof MODELS)[number]
  readonly system: string | undefined
  readonly question: number
  readonly name: (typeof NAMES)[number]
  readonly tool: string | undefined
  readonly temperature: number | undefined
  readonly excluded: string | undefined
}

/** Everything that two requests must agree on to share an answer. The masked name is no part of it. */
function identity({ key, format, model, system, question, tool, temperature, excluded }: Ask): string {
  const { organization, project } = key
  return JSON.stringify([organization, project, format, model, system, question, tool, temperature, excluded])
}

const { below, oneOf } = seededChance(20_260_101)

function randomAsk(): Ask {
  return {
    key: oneOf(KEYS),
    format: oneOf(FORMATS),
    streamed: below(2) === 0,
    model: oneOf(MODELS),
    system: oneOf([undefined, undefined, 'Be short.']),
    question: below(6),
    name: oneOf(NAMES),
    tool: oneOf([undefined, undefined, 'look_up']),
    temperature: oneOf([undefined, undefined, 0.5]),
    excluded: oneOf([undefined, undefined, 'other']),
  }
}

function bodyOf({ format, streamed, model, system, question, name, tool, temperature }: Ask): object {
  const text = `Question ${question} of ${name}@example.com`
  const parameters = { type: 'object', properties: {} }
  if (format === 'gemini') {
    return {
      contents: [{ role: 'user', parts: [{ text }] }],
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      ...(tool === undefined ? {} : { tools: [{ functionDeclarations: [{ name: tool, parameters }] }] }),
      ...(temperature === undefined ? {} : { generationConfig: { temperature } }),
    }
  }
  const rest = { model, stream: streamed, ...(temperature === undefined ? {} : { temperature }) }
  if (format === 'messages') {
    return {
      ...rest,
      max_tokens: 50,
      messages: [{ role: 'user', content: text }],
      ...(system === undefined ? {} : { system }),
      ...(tool === undefined ? {} : { tools: [{ name: tool, input_schema: parameters }] }),
    }
  }
  const user = { role: 'user', content: text }
  return {
    ...rest,
    messages: system === undefined ? [user] : [{ role: 'system', content: system }, user],
    ...(tool === undefined ? {} : { tools: [{ type: 'function', function: { name: tool, parameters } }] }),
  }
}

function pathOf({ format, streamed, model }: Ask): string {
  if (format === 'chat') return '/v1/chat/completions'
  if (format === 'messages') return '/adapters/anthropic/v1/messages'
  return `/adapters/gemini/v1beta/models/${model}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

/** What is said, through the strict checkers where it is a stream. */
function textOf({ format, streamed }: Ask, body: string): string {
  if (streamed) return streamedText(format, eventsOf(body))
  const answer = JSON.parse(body) as {
    choices?: { message: { content: string } }[]
    content?: { text: string }[]
    candidates?: { content: { parts: { text: string }[] } }[]
  }
  const said =
    answer.choices?.[0]?.message.content ??
    answer.content?.[0]?.text ??
    answer.candidates?.[0]?.content.parts.map(({ text }) => text).join('')
  return said ?? body
}

function streamedText(format: Ask['format'], events: SseEvent[]): string {
  if (format === 'chat') return readChatStream(events, { usage: false }).choices.get(0)?.content ?? ''
  if (format === 'gemini') return readGeminiStream(events).candidates.get(0)?.text ?? ''
  return readMessagesStream(events)
    .content.map((block) => block['text'])
    .join('')
}

function eventsOf(body: string): SseEvent[] {
  return body
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const field = (name: string) =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
      const [event] = field('event')
      return { ...(event === undefined ? {} : { event }), data: field('data').join('\n') }
    })
}

const redis = await startRedis()
t.teardown(() => redis.stop())
const upstream = await startFakeProvider()
t.teardown(() => upstream.close())
const state = stateFolder(t)

let count = 0
/** The question as the provider saw it, and a number. */
const numbered: Behaviour = (exchange) => {
  const messages = exchange.request.json?.['messages'] as { content: string }[]
  const text = `#${count++} ${exchange.request.model} ${messages.at(-1)?.content}`
  const streamed = exchange.request.json?.['stream'] === true
  return (
    streamed ? stream(chatStream([text.slice(0, 9), text.slice(9, 40), text.slice(40)])) : ok(chatCompletion(text))
  )(exchange)
}
upstream.otherwise(numbered)

const manifests = {
  'all.yaml': yaml(
    provider({
      name: 'p',
      url: upstream.url,
      models: MODELS.map((name) => `{ name: ${name}, capabilities: [chat, streaming, tools] }`),
    }),
    organization('a'),
    organization('b'),
    ...KEYS.map(({ name, organization: owner, project, restores }) =>
      virtualKey({
        name,
        namespace: `ns-${owner}`,
        key: `${KEY}-${name}`,
        spec: `  organizationRef: { name: ${owner} }\n  project: ${project}\n  privileges: { demask: ${restores} }\n`,
      }),
    ),
  ),
}
const args = ['--redis', redis.url, '--state', state]
const gateways = [await startGateway(t, { manifests, args }), await startGateway(t, { manifests, args })] as const

async function send(ask: Ask): Promise<{ cache: string; text: string }> {
  const key = `${KEY}-${ask.key.name}`
  const response = await fetch(oneOf(gateways).url + pathOf(ask), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-llm-flags': 'pii-safe',
      ...(ask.excluded === undefined ? {} : { 'x-llm-exclude-providers': ask.excluded }),
    },
    body: JSON.stringify(bodyOf(ask)),
  })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${body}`)
  return { cache: response.headers.get('x-gateway-cache') ?? '', text: textOf(ask, body) }
}

// Half a minute; room for busy machines.
t.setTimeout(300_000)

t.test('of thousands of random requests none gets an answer that was not made for an equal one', async (t) => {
  const madeFor = new Map<number, string>()
  const hits: { number: number; who: string }[] = []
  const seen = new Map<string, number>()
  let sent = 0
  const wrong: unknown[] = []
  const work = async () => {
    while (sent++ < REQUESTS && wrong.length < 5) {
      const ask = randomAsk()
      const { cache, text } = await send(ask)
      seen.set(cache, (seen.get(cache) ?? 0) + 1)
      const [, number, model, question, name] =
        /^#(\d+) (\w) Question (\d) of (?:(\w+)@example\.com|\[\[LLM_REDACTED_EMAIL_\w+\]\])$/.exec(text) ?? []
      const own = ask.key.restores ? ask.name : undefined
      if (model !== ask.model || Number(question) !== ask.question || name !== own) wrong.push({ ask, cache, text })
      if (cache === 'miss') madeFor.set(Number(number), identity(ask))
      else hits.push({ number: Number(number), who: identity(ask) })
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  for (const { number, who } of hits) if (madeFor.get(number) !== who) wrong.push([number, madeFor.get(number), who])
  t.strictSame(wrong, [])
  t.comment(Object.fromEntries(seen))
  t.equal(upstream.requests.length, madeFor.size, 'a hit asks nobody')
  t.ok((seen.get('hit-l1') ?? 0) > 0 && (seen.get('hit-l2') ?? 0) > 0, 'both levels took part')
  t.strictSame([...seen.keys()].toSorted(), ['hit-l1', 'hit-l2', 'miss'])
})
