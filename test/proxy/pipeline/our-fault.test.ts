import t from 'tap'
import { faultOf } from '../../../src/proxy/pipeline/our-fault.ts'

t.test('what to look at is told by the status', async (t) => {
  t.equal(faultOf(403, 'vendor/small'), "the provider refuses the Provider's key (credentials.secretRef)")
  t.match(faultOf(404, 'vendor/small'), 'no such path (endpoint.baseURL) or no model vendor/small')
  t.match(faultOf(308, 'vendor/small'), 'redirects are not followed')
  t.match(faultOf(402, 'vendor/small'), 'its account')
})
