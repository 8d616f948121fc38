import t from 'tap'
import { GatewayError, UpstreamFormatError } from '../../../../src/domain/errors.ts'
import { failureDetail } from '../../../../src/proxy/pipeline/attempts/failure-detail.ts'
import type { ProviderType } from '../../../../src/domain/snapshot/snapshot.ts'
import { AttemptError } from '../../../../src/proxy/pipeline/ports.ts'
import { compile, deploymentOf, model, provider } from '../../../domain/routing/samples.ts'

const MALFORMED = new UpstreamFormatError('The provider sent an answer without choices.')

interface Case {
  readonly baseUrl?: string
  readonly contentType?: string
  readonly operation?: string
  readonly type?: ProviderType
}

function told(error: unknown, the: Case = {}) {
  const {
    baseUrl = 'https://a/v1',
    contentType = 'application/json',
    operation = 'chat',
    type = 'OpenAICompatible',
  } = the
  const endpoint = { ...provider('x', []).endpoint, baseUrl }
  const entry = provider('one', [model('small')], { type, endpoint })
  const replyHead = { status: 200, contentType: contentType === '' ? undefined : contentType }
  return failureDetail(error, deploymentOf(compile(entry), 'one/small'), { operation, stream: false, replyHead })
}

t.test('the address that was asked is told without a login and a query', async (t) => {
  const address = 'at https://models.internal:8443/v1/chat/completions: status 200'
  const baseUrl = 'https://user:s3cret@models.internal:8443/v1?code=s3cret'
  t.equal(told(MALFORMED, { baseUrl }), `The provider sent an answer without choices, ${address}`)
  t.match(told(MALFORMED, { operation: 'embeddings' }), 'at https://a/v1/embeddings')
  t.match(told(new AttemptError('refused-address', 'refused'), { baseUrl: 'none' }), 'refused, at no address')
})

t.test('of the path of a base URL only what every API has is told: a gateway may take its key there', async (t) => {
  for (const [baseUrl, address] of [
    ['https://a/s3cret/v1/', 'https://a/.../v1/chat/completions'],
    ['https://a/api/openai/v1beta/sk%2Ds3cret', 'https://a/api/openai/v1beta/.../chat/completions'],
    ['https://a//v1s3cret/v1//', 'https://a//.../v1/chat/completions'],
    ['https://a', 'https://a/chat/completions'],
  ] as const)
    t.match(told(MALFORMED, { baseUrl }), `, at ${address}: status 200`)
  const azure = { baseUrl: 'https://a/s3cret/openai', type: 'AzureOpenAI' } as const
  t.match(told(MALFORMED, azure), ', at https://a/.../openai/deployments/small/chat/completions: status 200')
})

t.test(
  'the type of an answer that is no JSON is told where it is a usual one, without what may stand behind it',
  async (t) => {
    t.match(told(MALFORMED, { contentType: 'application/problem+json; charset=utf-8' }), /: status 200$/)
    t.match(told(MALFORMED, { contentType: 'text/html; charset=a secret' }), /: status 200, text\/html$/)
    t.match(told(MALFORMED, { contentType: 'Text/HTML' }), /: status 200, Text\/HTML$/)
    for (const contentType of ['\u202ehtml', 'text/the-prompt', 'sk-key/sk-key', `text/html${'x'.repeat(9_000)}`])
      t.match(told(MALFORMED, { contentType }), /: status 200, an unusual content type$/)
    t.match(told(MALFORMED, { contentType: '' }), /: status 200, no content type$/)
  },
)

t.test('what the gateway itself refuses is nothing of a provider', async (t) => {
  t.equal(
    told(new AttemptError('busy', 'too many connections to the provider')),
    'too many connections to the provider',
  )
  t.equal(told(new GatewayError('internal_error', 'x')), undefined)
})
