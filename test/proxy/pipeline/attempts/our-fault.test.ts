import t from 'tap'
import { faultOf } from '../../../../src/proxy/pipeline/attempts/our-fault.ts'
import { compile, deploymentOf, model, provider } from '../../../domain/routing/samples.ts'

const keyless = deploymentOf(compile(provider('one', [model('small')])), 'one/small')
const keyed = deploymentOf(compile(provider('one', [model('small')], { credentials: { type: 'Bearer' } })), 'one/small')

t.test('what to look at is told by the status', async (t) => {
  t.equal(faultOf(403, keyed), "the provider refuses the Provider's key (credentials.secretRef)")
  t.match(faultOf(404, keyed), 'no such path (endpoint.baseURL) or no model small')
  t.match(faultOf(308, keyed), 'redirects are not followed')
  t.match(faultOf(402, keyed), 'its account')
})

t.test('no key is told to be refused where there is none', async (t) => {
  t.equal(faultOf(401, keyless), 'the provider wants a key, of which the Provider has none (credentials.type: None)')
  t.equal(faultOf(403, keyless), 'the provider refuses this gateway: its account, address or key')
})
