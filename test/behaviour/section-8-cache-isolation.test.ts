/**
 * DESIGN section 7, isolation where sharing is busiest: few questions, many at the same time, slow streams that others
 * follow, clients that leave in the middle, answers by meaning with an embedding server that finds everything alike, two
 * gateways on one Redis. Every answer must have been made for a request that is equal in all but wording, masked values and form.
 */
import t from 'tap'
import { chatCompletion, chatStream } from '../helpers/answers.ts'
import { ok, stream } from '../helpers/behaviours.ts'
import { organization, seededChance, stateFolder } from '../helpers/cache-scene.ts'
import { startFakeProvider, type Behaviour } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { startRedis } from '../helpers/redis.ts'

const REQUESTS = 3_000
const WORKERS = 24

const KEYS = [
  { name: 'one', organization: 'a', project: 'p1', restores: true, semantic: true },
  { name: 'two', organization: 'a', project: 'p1', restores: false, semantic: true },
  { name: 'exact', organization: 'a', project: 'p1', restores: true, semantic: false },
  { name: 'three', organization: 'a', project: 'p2', restores: true, semantic: true },
  { name: 'four', organization: 'b', project: 'p1', restores: true, semantic: true },
] as const
/** Wordings of one question stand together; what stands apart is another question, however near. */
const QUESTIONS = [
  [
    'How do I call NAME about the cake?',
    'how to call NAME about the cake',
    'Please tell me how to call NAME about the cake',
  ],
  ['How do I not call NAME about the cake?', 'how to not call NAME about the cake'],
  ['How do I call NAME about the Polish?', 'how to call NAME about the Polish'],
  ['How do I call NAME about the polish?', 'how to call NAME about the polish'],
  ['How do I call NAME about 2 cakes?', 'how to call NAME about 2 cakes'],
] as const
const NAMES = ['anna', 'bob', 'carla'] as const
const schema = (type: string) => ({ type: 'json_schema', json_schema: { name: 's', schema: { type } } })

interface Ask {
  readonly key: (typeof KEYS)[number]
  readonly streamed: boolean
  readonly question: number
  readonly wording: string
  readonly name: (typeof NAMES)[number]
  /** All else that makes a request another one. */
  readonly rest: object
  readonly excluded: string | undefined
  readonly leaves: boolean
}

const RESTS: readonly object[] = [
  {},
  {},
  { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }] },
  { tools: [{ type: 'function', function: { name: 'b', parameters: { type: 'object' } } }] },
  { response_format: schema('object') },
  { response_format: schema('array') },
  { temperature: 0.5 },
]
const SYSTEMS = [undefined, 'one', 'two'] as const

const { below, oneOf } = seededChance(20_260_202)

function randomAsk(): Ask {
  const question = below(QUESTIONS.length)
  return {
    key: oneOf(KEYS),
    streamed: below(3) > 0,
    question,
    wording: oneOf(QUESTIONS[question] ?? []),
    name: oneOf(NAMES),
    rest: { ...oneOf(RESTS), system: oneOf(SYSTEMS) },
    excluded: oneOf([undefined, undefined, 'p', 'q']),
    leaves: below(10) === 0,
  }
}

/** What two requests must agree on to share an answer; the wording only where it counts. */
function identity({ key, question, rest, excluded }: Ask): string {
  return JSON.stringify([key.organization, key.project, question, rest, excluded])
}

function bodyOf({ wording, name, rest, streamed }: Ask): object {
  const { system, ...others } = rest as { system?: string }
  const content = wording.replace('NAME', `${name}@example.com`)
  const messages = [...(system === undefined ? [] : [{ role: 'system', content: system }]), { role: 'user', content }]
  return { model: 'm', stream: streamed, messages, ...others }
}

let count = 0
/** A number, which provider it is, and the masked value, in slow pieces that cut it anywhere. */
function numbered(label: string): Behaviour {
  return (exchange) => {
    const token = /\[\[LLM_REDACTED_EMAIL_\w+\]\]/.exec(exchange.request.body)?.[0] ?? 'nobody'
    const text = `#${count++} ${label} for ${token}!`
    if (exchange.request.json?.['stream'] !== true) return ok(chatCompletion(text))(exchange)
    const pieces = text.match(/^#\d+ |.{1,7}/gs) ?? []
    return stream(chatStream(pieces), { pauseMs: count % 4 })(exchange)
  }
}
const alike: Behaviour = (exchange) => ok({ data: [{ embedding: [1, 0.1, 0] }], usage: { prompt_tokens: 3 } })(exchange)

const redis = await startRedis()
t.teardown(() => redis.stop())
const upstreams = { p: await startFakeProvider(), q: await startFakeProvider() }
for (const [label, upstream] of Object.entries(upstreams)) {
  t.teardown(() => upstream.close())
  upstream.otherwise(numbered(label))
  upstream.otherwise(alike, { path: /embeddings$/ })
}
const state = stateFolder(t)

const CAPABLE = '{ name: m, capabilities: [chat, streaming, tools, json-mode, json-schema] }'
const manifests = {
  'all.yaml': yaml(
    provider({ name: 'p', url: upstreams.p.url, models: [CAPABLE, '{ name: e, capabilities: [embeddings] }'] }),
    provider({ name: 'q', url: upstreams.q.url, models: [CAPABLE, '{ name: e, capabilities: [embeddings] }'] }),
    organization('a'),
    organization('b'),
    ...KEYS.map(({ name, organization: owner, project, restores, semantic }) =>
      virtualKey({
        name,
        namespace: `ns-${owner}`,
        key: `${KEY}-${name}`,
        spec: `  organizationRef: { name: ${owner} }
  project: ${project}
  privileges: { demask: ${restores} }
  policies: { flags: [pii-safe], cache: { semantic: { enabled: ${semantic}, model: e } } }`,
      }),
    ),
  ),
}
const args = ['--redis', redis.url, '--state', state]
const gateways = [await startGateway(t, { manifests, args }), await startGateway(t, { manifests, args })] as const

interface Answered {
  readonly cache: string
  readonly text: string
}

async function send(ask: Ask): Promise<Answered> {
  const leaving = new AbortController()
  const response = await fetch(`${oneOf(gateways).url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}-${ask.key.name}`,
      'content-type': 'application/json',
      ...(ask.excluded === undefined ? {} : { 'x-llm-exclude-providers': ask.excluded }),
    },
    body: JSON.stringify(bodyOf(ask)),
    signal: leaving.signal,
  })
  const cache = response.headers.get('x-gateway-cache') ?? ''
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  if (!ask.streamed) {
    const answer = (await response.json()) as { choices: { message: { content: string } }[] }
    return { cache, text: answer.choices[0]?.message.content ?? '' }
  }
  let events = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    events += piece
    // Not before its number is known.
    if (ask.leaves && /^#\d+ ./.test(said(events))) leaving.abort()
    if (leaving.signal.aborted) return { cache, text: said(events) }
  }
  if (!events.includes('[DONE]')) throw new Error(`the stream was cut: ${events}`)
  return { cache, text: said(events) }
}

function said(events: string): string {
  const chunks = events.split('\n').filter((line) => line.startsWith('data: {') && line.endsWith('}'))
  const deltas = chunks.map((line) => JSON.parse(line.slice(6)) as { choices: { delta?: { content?: string } }[] })
  return deltas.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')
}

/** Whether the text is what the request may see: another provider than the excluded one, and its own value, or a token. */
function isOwn({ key, name, excluded }: Ask, text: string): boolean {
  const [, label, value] = /^#\d+ ([pq]) for (.+)!$/.exec(text) ?? []
  if (label === undefined || label === excluded) return false
  return key.restores ? value === `${name}@example.com` : /^\[\[LLM_REDACTED_EMAIL_\w+\]\]$/.test(value ?? '')
}

t.setTimeout(300_000)

t.test(
  'whatever is shared at the same time was made for an equal request, and each reads its own values',
  async (t) => {
    const madeFor = new Map<string, string>()
    const shared: { readonly number: string; readonly who: string; readonly ask: Ask; readonly cache: string }[] = []
    const seen = new Map<string, number>()
    const wrong: unknown[] = []
    let sent = 0
    const work = async () => {
      while (sent++ < REQUESTS && wrong.length < 5) {
        const ask = randomAsk()
        const { cache, text } = await send(ask)
        seen.set(cache, (seen.get(cache) ?? 0) + 1)
        const number = /^#(\d+) /.exec(text)?.[1] ?? ''
        if (!ask.leaves && !isOwn(ask, text)) wrong.push({ ask, cache, text })
        if (cache === 'hit-semantic' && !ask.key.semantic) wrong.push({ ask, cache })
        if (cache === 'miss') madeFor.set(number, identity(ask))
        else shared.push({ number, who: identity(ask), ask, cache })
      }
    }
    await Promise.all(Array.from({ length: WORKERS }, work))
    for (const { number, who, ask, cache } of shared) {
      if (madeFor.get(number) !== who) wrong.push({ number, madeFor: madeFor.get(number), who, ask, cache })
    }
    t.strictSame(wrong.slice(0, 5), [])
    t.comment(Object.fromEntries(seen))
    for (const way of ['miss', 'hit-l1', 'hit-l2', 'hit-semantic']) t.ok((seen.get(way) ?? 0) > 20, way)
  },
)
