import t from 'tap'
import { Secret } from '../../../src/domain/secret.ts'
import { createProber } from '../../../src/operator-probes.ts'
import { ok, status } from '../../helpers/behaviours.ts'
import { startFakeProvider } from '../../helpers/fake-provider.ts'
import { providerEntry } from '../../helpers/snapshots.ts'

const KEY = new Secret('sk-the-key-of-a-provider')

t.test('asks the health route with the key, and tells the status', async (t) => {
  const provider = await startFakeProvider()
  const prober = createProber()
  t.teardown(async () => {
    prober.retain([])
    await provider.close()
  })
  provider.enqueue(ok({ data: [] }), status(503))
  const entry = providerEntry('p', `${provider.url}/v1`)
  const ask = () => prober.probe(entry, KEY, new AbortController().signal)
  t.match(await ask(), { type: 'answer', status: 200 })
  t.match(await ask(), { type: 'answer', status: 503 })
  t.match(provider.requests[0], {
    method: 'GET',
    path: '/v1/models',
    headers: { authorization: `Bearer ${KEY.reveal()}` },
  })
})

t.test('reaches no address that a data plane may not reach', async (t) => {
  const prober = createProber()
  for (const url of [
    'https://169.254.169.254/v1',
    'https://[::ffff:169.254.169.254]/v1',
    'http://169.254.169.254/v1',
  ]) {
    const entry = providerEntry('p', url)
    t.match(await prober.probe(entry, KEY, new AbortController().signal), {
      type: 'no-answer',
      reason: 'refused-address',
    })
  }
  prober.retain([])
})
