/** A gateway that has little memory for answers, and clients that ask for large ones and do not read them. */
import type { Test } from 'tap'
import { chatCompletion } from './answers.ts'
import { ok } from './behaviours.ts'
import { startFakeProvider, type FakeProvider } from './fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml, type Gateway } from './gateway.ts'
import { openRaw, requestBytes, type RawConnection } from './raw-http.ts'

export interface TightGateway {
  readonly upstream: FakeProvider
  readonly gateway: Gateway
}

/**
 * Its heap leaves 16 MiB for large answers. Of its models `small` answers at once, `m` as the test says.
 * @param main the executable, where it is not the gateway's own
 */
export async function startTightGateway(t: Test, main?: string): Promise<TightGateway> {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  const models = ['{ name: m }', '{ name: small }']
  const gateway = await startGateway(t, {
    ...(main === undefined ? {} : { main }),
    manifests: { 'all.yaml': yaml(provider({ name: 'p', type: 'OpenAI', url: upstream.url, models }), virtualKey()) },
    env: { NODE_OPTIONS: '--max-old-space-size=128' },
  })
  upstream.otherwise(ok(chatCompletion('meanwhile')), { model: 'small' })
  return { upstream, gateway }
}

/** A chat request on a connection that is kept. */
export function chatBytes(
  body: object,
  headers: readonly (readonly [string, string])[] = [],
  path = '/v1/chat/completions',
): Buffer {
  const sent = [
    ['Authorization', `Bearer ${KEY}`],
    ['Content-Type', 'application/json'],
    ['Connection', 'keep-alive'],
    ...headers,
  ] as const
  const document = { model: 'm', messages: [{ role: 'user', content: 'hello' }], ...body }
  return requestBytes('POST', path, sent, JSON.stringify(document))
}

/** Sends the requests at once and reads nothing until the test has ended. */
export function unread(t: Pick<Test, 'teardown'>, gateway: Gateway, ...requests: readonly Buffer[]): RawConnection {
  const connection = openRaw(gateway.url)
  t.teardown(() => connection.close())
  connection.pause()
  for (const request of requests) connection.write(request)
  return connection
}
