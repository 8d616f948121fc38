/** One suite over every family of the registry: what any of them promises. The details of each follow as a table. */
import t from 'tap'
import type { IncomingHttpHeaders } from 'node:http'
import { PROVIDER_FAMILIES, familyOf } from '../../../src/proxy/providers/registry.ts'
import type { ProviderFamily, Target } from '../../../src/proxy/providers/provider-family.ts'
import type { ProviderType } from '../../../src/domain/snapshot/snapshot.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { HttpTransport } from '../../../src/proxy/providers/transport.ts'
import { ok } from '../../helpers/behaviours.ts'
import { startFakeProvider } from '../../helpers/fake-provider.ts'
import { compile, deploymentOf, model, provider } from '../../domain/routing/samples.ts'

const TYPES: readonly ProviderType[] = ['OpenAI', 'AzureOpenAI', 'OpenAICompatible', 'Anthropic', 'Gemini']

t.test('every provider type has its family, once', async (t) => {
  t.same(PROVIDER_FAMILIES.map(({ type }) => type).toSorted(), [...TYPES].toSorted())
  for (const type of TYPES) t.equal(familyOf(type).type, type)
})

for (const family of PROVIDER_FAMILIES) {
  const target: Target = { upstreamName: 'some model/ä', operation: 'chat', stream: false }

  t.test(`${family.type}: a chat reaches the provider with the key in its own header only`, async (t) => {
    const fake = await startFakeProvider()
    const transport = new HttpTransport()
    t.teardown(async () => {
      await fake.close()
      await transport.close()
    })
    fake.otherwise(ok({}))
    const [header, value] = family.authorize('sk-secret')
    for (const credentials of [
      { type: 'Bearer' },
      { type: 'Header', headerName: 'X-Own-Key' },
      { type: 'None' },
    ] as const) {
      const from = provider('one', [model('m', { upstreamName: 'up' })], {
        type: family.type,
        credentials,
        endpoint: {
          baseUrl: fake.url,
          allowInsecureHttp: true,
          headers: { [header]: 'static', authorization: 'static' },
        },
      })
      const reply = await transport.send({
        deployment: deploymentOf(compile(from), 'one/m'),
        credential: new Secret('sk-secret'),
        operation: 'chat',
        stream: false,
        body: '{}',
        passHeaders: { [header]: 'client' },
        signal: new AbortController().signal,
      })
      for await (const _chunk of reply.body);
      const request = fake.requests.at(-1)
      const headers: IncomingHttpHeaders = request?.headers ?? {}
      const url = request?.url ?? ''
      if (credentials.type === 'Bearer') t.equal(headers[header], value)
      if (credentials.type === 'Header') t.equal(headers['x-own-key'], 'sk-secret')
      t.not(headers[header], 'client')
      t.equal(headers['authorization']?.includes('static') ?? false, false)
      t.notMatch(url, /sk-secret/)
      for (const [name, fixed] of Object.entries(family.fixedHeaders)) t.equal(headers[name], fixed)
    }
  })

  t.test(`${family.type}: every address stays below the base URL and keeps its query`, async (t) => {
    const bases = [
      'https://host.test:8443',
      'https://host.test:8443/',
      'https://host.test:8443/some/path',
      'https://host.test:8443/some/path//',
    ]
    for (const base of bases) {
      for (const operation of ['chat', 'count-tokens', 'embeddings'] as const) {
        for (const stream of [false, true]) {
          const url = family.url(new URL(`${base}?tenant=a%20b`), { ...target, operation, stream })
          t.equal(url.origin, 'https://host.test:8443')
          t.ok(url.pathname.startsWith(base.includes('path') ? '/some/path/' : '/'), url.href)
          t.notMatch(url.pathname, '//')
          t.equal(url.searchParams.get('tenant'), 'a b')
        }
      }
      const health = family.healthUrl(new URL(base))
      t.equal(health.origin, 'https://host.test:8443')
      t.notMatch(health.pathname, '//')
    }
  })

  t.test(`${family.type}: the default base URL is an https address`, async (t) => {
    t.ok(family.defaultBaseUrl === undefined || new URL(family.defaultBaseUrl).protocol === 'https:')
  })

  t.test(`${family.type}: statuses mean what the table of refusals says`, async (t) => {
    const expected: Record<string, readonly number[]> = {
      request: [400, 413, 422],
      'our-fault': [301, 307, 401, 402, 403, 404, 405, 415],
      'rate-limited': [429],
      unavailable: [408, 409, 425, 500, 502, 503, 504, 529, 599],
    }
    for (const [kind, statuses] of Object.entries(expected)) {
      for (const status of statuses)
        t.equal(family.classifyFailure(status, '{"error":{"message":"no"}}'), kind, `${status}`)
    }
  })
}

const ADDRESSES: readonly [ProviderType, string | undefined, Partial<Target>, string][] = [
  ['OpenAI', undefined, {}, 'https://api.openai.com/v1/chat/completions'],
  ['OpenAI', undefined, { operation: 'embeddings' }, 'https://api.openai.com/v1/embeddings'],
  ['OpenAICompatible', 'https://api.mistral.ai/v1', {}, 'https://api.mistral.ai/v1/chat/completions'],
  ['OpenAICompatible', 'http://localhost:11434/v1/', { stream: true }, 'http://localhost:11434/v1/chat/completions'],
  [
    'AzureOpenAI',
    'https://x.openai.azure.com',
    {},
    'https://x.openai.azure.com/openai/deployments/gpt-4.1/chat/completions?api-version=2024-10-21',
  ],
  [
    'AzureOpenAI',
    'https://x.openai.azure.com/openai/',
    {},
    'https://x.openai.azure.com/openai/deployments/gpt-4.1/chat/completions?api-version=2024-10-21',
  ],
  [
    'AzureOpenAI',
    'https://x.openai.azure.com?api-version=2025-01-01-preview',
    { operation: 'embeddings' },
    'https://x.openai.azure.com/openai/deployments/gpt-4.1/embeddings?api-version=2025-01-01-preview',
  ],
  [
    'AzureOpenAI',
    'https://x.openai.azure.com',
    { upstreamName: 'a b/c' },
    'https://x.openai.azure.com/openai/deployments/a%20b%2Fc/chat/completions?api-version=2024-10-21',
  ],
  ['AzureOpenAI', 'https://x.openai.azure.com/openai/v1/', {}, 'https://x.openai.azure.com/openai/v1/chat/completions'],
  ['Anthropic', undefined, { stream: true }, 'https://api.anthropic.com/v1/messages'],
  [
    'Anthropic',
    'https://proxy.test/anthropic',
    { operation: 'count-tokens' },
    'https://proxy.test/anthropic/v1/messages/count_tokens',
  ],
  ['Gemini', undefined, {}, 'https://generativelanguage.googleapis.com/v1beta/models/gpt-4.1:generateContent'],
  [
    'Gemini',
    undefined,
    { stream: true },
    'https://generativelanguage.googleapis.com/v1beta/models/gpt-4.1:streamGenerateContent?alt=sse',
  ],
  [
    'Gemini',
    undefined,
    { upstreamName: 'models/g' },
    'https://generativelanguage.googleapis.com/v1beta/models/g:generateContent',
  ],
  [
    'Gemini',
    undefined,
    { upstreamName: 'tunedModels/my g', operation: 'count-tokens' },
    'https://generativelanguage.googleapis.com/v1beta/tunedModels/my%20g:countTokens',
  ],
]

for (const [type, base, target, expected] of ADDRESSES) {
  t.test(`${type} at ${base ?? 'its default'} asks ${expected}`, async (t) => {
    const family = familyOf(type)
    const url = family.url(new URL(base ?? family.defaultBaseUrl ?? ''), {
      upstreamName: 'gpt-4.1',
      operation: 'chat',
      stream: false,
      ...target,
    })
    t.equal(url.href, expected)
  })
}

const AUTHORIZATIONS: readonly [ProviderType, string, readonly [string, string]][] = [
  ['OpenAI', 'sk-1', ['authorization', 'Bearer sk-1']],
  ['OpenAICompatible', 'gsk_1', ['authorization', 'Bearer gsk_1']],
  ['AzureOpenAI', '0123abcd', ['api-key', '0123abcd']],
  ['AzureOpenAI', 'eyJhbGciOi.eyJhdWQi.c2ln', ['authorization', 'Bearer eyJhbGciOi.eyJhdWQi.c2ln']],
  ['Anthropic', 'sk-ant-1', ['x-api-key', 'sk-ant-1']],
  ['Gemini', 'AIza1', ['x-goog-api-key', 'AIza1']],
]

for (const [type, secret, expected] of AUTHORIZATIONS) {
  t.test(`${type} sends ${secret} as ${expected[0]}`, async (t) => {
    t.same(familyOf(type).authorize(secret), expected)
  })
}

const VENDORS_OWN_WAYS: readonly [ProviderType, number, string][] = [
  [
    'OpenAI',
    429,
    '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
  ],
  ['AzureOpenAI', 429, '{"error":{"code":"insufficient_quota"}}'],
  [
    'Anthropic',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}',
  ],
  [
    'Gemini',
    400,
    '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}',
  ],
  // Gemini's address for OpenAI's API.
  [
    'OpenAICompatible',
    400,
    '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
  ],
]

t.test("a server that quotes the client's words does not refuse its key by them", async (t) => {
  const quoting = '{"error":{"message":"1 validation error: input_value=API key not valid","code":400}}'
  t.equal(familyOf('OpenAICompatible').classifyFailure(400, quoting), 'request')
})

t.test('Gemini says of a cached content or file that is gone what it says of a refused key', async (t) => {
  const refusal = (message: string) => JSON.stringify({ error: { code: 403, message, status: 'PERMISSION_DENIED' } })
  const { classifyFailure } = familyOf('Gemini')
  for (const message of [
    'CachedContent not found (or permission denied)',
    'You do not have permission to access the File abc123 or it may not exist.',
  ]) {
    t.equal(classifyFailure(403, refusal(message)), 'request')
    t.equal(classifyFailure(404, refusal(message)), 'request')
    t.equal(classifyFailure(503, refusal(message)), 'unavailable')
  }
  t.equal(classifyFailure(403, refusal('The caller does not have permission')), 'our-fault')
  t.equal(classifyFailure(404, refusal('models/nope is not found for API version v1beta')), 'our-fault')
})

t.test('a 404 about a file of the request is about the request, one about a model is not', async (t) => {
  for (const type of ['Anthropic', 'OpenAI', 'OpenAICompatible', 'AzureOpenAI'] as const) {
    const { classifyFailure } = familyOf(type)
    for (const id of [
      'file_011CNha8iCJcU1wXNR6q4V8w',
      'file-BK7bzQj3FfZFXr7DbL6xJwfo',
      'container_011CPR5CNjB747bTd36fQLFk',
    ])
      t.equal(
        classifyFailure(404, JSON.stringify({ error: { message: `Not found: ${id}` } })),
        'request',
        `${type} ${id}`,
      )
    t.equal(classifyFailure(404, '{"error":{"message":"The model `file-reader` does not exist"}}'), 'our-fault', type)
    t.equal(
      classifyFailure(404, '{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}'),
      'our-fault',
    )
    t.equal(classifyFailure(500, 'file_011CNha8iCJcU1wXNR6q4V8w'), 'unavailable', type)
  }
})

for (const [type, status, body] of VENDORS_OWN_WAYS) {
  t.test(`${type} refuses our account with ${status}, which is our fault`, async (t) => {
    const family: ProviderFamily = familyOf(type)
    t.equal(family.classifyFailure(status, body), 'our-fault')
  })
}

t.test("Mistral's own API is told by its address, wherever its models are served, OpenAI's by its type", async (t) => {
  const { dialect } = familyOf('OpenAICompatible')
  for (const url of ['https://api.mistral.ai/v1', 'https://API.eu.Mistral.ai', 'http://mistral.ai:8080'])
    t.equal(dialect?.(url), 'mistral', url)
  for (const url of [
    'https://mistral.ai.example.org/v1',
    'https://notmistral.ai/v1',
    'http://127.0.0.1/mistral.ai',
    undefined,
  ])
    t.equal(dialect?.(url), undefined, url ?? 'none')
  for (const type of TYPES) {
    if (type === 'OpenAICompatible') continue
    t.equal(familyOf(type).dialect?.('https://api.mistral.ai/v1'), type === 'OpenAI' ? 'openai' : undefined, type)
  }
})
