import t from 'tap'
import { faultOf } from '../../../src/proxy/pipeline/our-fault.ts'
import { compile, deploymentOf, model, provider } from '../../domain/routing/samples.ts'

const at = (status: number, baseUrl?: string) => {
  const endpoint = { ...provider('x', []).endpoint, ...(baseUrl === undefined ? {} : { baseUrl }) }
  const entry = provider('one', [model('small', { upstreamName: 'vendor/small' })], { type: 'OpenAI', endpoint })
  return faultOf(status, deploymentOf(compile(entry), 'one/small'))
}

t.test('what to look at is told by the status, and where, without a query', async (t) => {
  t.equal(
    at(403, 'https://models.internal/v1?code=s3cret'),
    "the provider refuses the Provider's key (credentials.secretRef), at https://models.internal/v1",
  )
  t.match(at(404, 'https://a/'), 'no such path (endpoint.baseURL) or no model vendor/small, at https://a/')
  t.match(at(308, 'https://a/'), 'redirects are not followed, at https://a/')
  t.match(at(402, 'https://a/'), 'its account')
})
