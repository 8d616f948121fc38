/** How connections to providers come about: TLS, names, forward proxies, and what happens when they do not. */
import t from 'tap'
import type { Test } from 'tap'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProviderEndpoint } from '../../../src/domain/snapshot/snapshot.ts'
import { HttpTransport, type TransportOptions } from '../../../src/proxy/providers/transport.ts'
import { freePort } from '../../helpers/addresses.ts'
import { ok } from '../../helpers/behaviours.ts'
import { startFakeProvider } from '../../helpers/fake-provider.ts'
import { startProxy } from '../../helpers/forward-proxy.ts'
import { createAuthority } from '../../helpers/certificates.ts'
import { callOf } from '../../helpers/provider-calls.ts'
import { model, provider } from '../../domain/routing/samples.ts'

const LONG_MS = 60_000

function sender(t: Test, options: TransportOptions = {}) {
  const transport = new HttpTransport(options)
  t.teardown(() => transport.close())
  return async (endpoint: Partial<ProviderEndpoint>, connectMs = LONG_MS): Promise<unknown> => {
    const from = provider('one', [model('m')], {
      endpoint: { allowInsecureHttp: true, headers: {}, ...endpoint },
      timeouts: { connectMs, firstByteMs: LONG_MS, streamIdleMs: LONG_MS, totalMs: LONG_MS },
    })
    try {
      const reply = await transport.send(callOf(from, { body: '{}' }))
      for await (const _chunk of reply.body);
      return { status: reply.status }
    } catch (error) {
      return error
    }
  }
}

async function listen(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

t.test("a TLS handshake that never ends is the connect clock's", async (t) => {
  const port = await listen(t, createServer())
  t.match(await sender(t)({ baseUrl: `https://127.0.0.1:${port}` }, 60), { kind: 'timeout', clock: 'connect' })
})

t.test('a name is resolved and checked: localhost only where loopback is allowed', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  fake.otherwise(ok({}))
  const send = sender(t)
  for (const connectMs of [LONG_MS, 1_234.5, 1e12]) {
    t.same(await send({ baseUrl: `http://localhost:${fake.port}` }, connectMs), { status: 200 })
  }
  t.match(await send({ baseUrl: `https://localhost:${fake.port}`, allowInsecureHttp: false }), {
    kind: 'refused-address',
  })
})

t.test('a name that does not exist is a failed connection', async (t) => {
  t.match(await sender(t)({ baseUrl: 'http://no-such-host.invalid' }), {
    kind: 'connect',
    message: /^no connection to the provider at http:\/\/no-such-host\.invalid \((ENOTFOUND|EAI_AGAIN)\)$/,
  })
})

t.test('where a connection failed is told, without path, query and login', async (t) => {
  const send = sender(t)
  const port = await freePort()
  t.match(await send({ baseUrl: `http://127.0.0.1:${port}/v1?key=s3cret` }), {
    kind: 'connect',
    message: `no connection to the provider at http://127.0.0.1:${port} (ECONNREFUSED)`,
  })
  const frozen = await startProxy(t, { onConnect: () => undefined })
  const proxyUrl = frozen.proxyUrl.replace('//', '//name:login@')
  t.match(await send({ baseUrl: 'https://provider.test/v1', proxyUrl }, 60), {
    clock: 'connect',
    message: `no connection to the provider at https://provider.test through the forward proxy at ${frozen.proxyUrl} within the connect clock`,
  })
})

t.test('a certificate is trusted by its own authority only', async (t) => {
  const pem = selfSigned(t)
  if (pem === undefined) return t.pass('without openssl there is no certificate to try')
  const server = createTlsServer(pem, (request, response) => void request.resume().on('end', () => response.end('{}')))
  const baseUrl = `https://127.0.0.1:${await listen(t, server)}`
  const send = sender(t)
  t.same(await send({ baseUrl, ca: pem.cert }), { status: 200 })
  const cure =
    /SELF_SIGNED\w*\): the authority of its certificate is not known here; endpoint\.caSecretRef .* NODE_EXTRA_CA_CERTS/
  t.match(await send({ baseUrl }), { kind: 'connect', message: cure })
})

t.test('a forward proxy tunnels to the provider', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  fake.otherwise(ok({}))
  const { proxyUrl, targets } = await startProxy(t)
  t.same(await sender(t)({ baseUrl: fake.url, proxyUrl }), { status: 200 })
  t.same(targets, [`127.0.0.1:${fake.port}`])
  t.equal(fake.requests[0]?.headers.host, `127.0.0.1:${fake.port}`)
})

t.test('what follows the port of a forward proxy is left out', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  fake.otherwise(ok({}))
  const { proxyUrl } = await startProxy(t)
  for (const rest of ['/', '/path', '?query', '#fragment'])
    t.same(await sender(t)({ baseUrl: fake.url, proxyUrl: proxyUrl + rest }), { status: 200 }, rest)
})

t.test('a forward proxy that refuses, or never answers, is a connection that failed', async (t) => {
  const send = sender(t)
  const refusing = await startProxy(t, {
    onConnect: (socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  })
  t.match(await send({ baseUrl: 'http://provider.test', proxyUrl: refusing.proxyUrl }), {
    kind: 'connect',
    message: `the forward proxy at ${refusing.proxyUrl} opens no tunnel (status 407)`,
  })
  const port = await freePort()
  t.match(await send({ baseUrl: 'http://provider.test', proxyUrl: `http://name:login@127.0.0.1:${port}` }), {
    kind: 'connect',
    message: `no connection to the forward proxy at http://127.0.0.1:${port} (ECONNREFUSED)`,
  })
  const frozen = await startProxy(t, { onConnect: () => undefined })
  t.match(await send({ baseUrl: 'http://provider.test', proxyUrl: frozen.proxyUrl }, 60), {
    kind: 'timeout',
    clock: 'connect',
  })
  t.match(await send({ baseUrl: 'http://provider.test', proxyUrl: 'http://169.254.169.254:3128' }), {
    kind: 'refused-address',
  })
  t.match(await send({ baseUrl: 'http://provider.test', proxyUrl: 'not a url' }), { kind: 'refused-address' })
})

t.test(
  'a forward proxy that closes the connection, or answers itself, is a connection that failed, and is asked once',
  async (t) => {
    const closed = /^no connection to the forward proxy at \S+ \([A-Z_]+\): it was opened, and closed before/
    const answers: [answer: (socket: Socket) => void, message: RegExp][] = [
      [(socket) => socket.end(), closed],
      [(socket) => socket.resetAndDestroy(), closed],
      [(socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'), /opens no tunnel \(status 101\)$/],
      [(socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'), /in the provider's place$/],
    ]
    for (const [answer, message] of answers) {
      const { proxyUrl, targets } = await startProxy(t, { onConnect: answer })
      t.match(await sender(t)({ baseUrl: 'http://provider.test', proxyUrl }), { kind: /connect|protocol/, message })
      await sleep(20)
      t.equal(targets.length, 1)
    }
  },
)

t.test('through a forward proxy the provider is who its certificate says, and is told by name', async (t) => {
  const authority = createAuthority()
  const { certificate: cert, privateKey: key } = authority.issue('provider.test')
  const server = createTlsServer({ cert, key }, (request, response) =>
    request.resume().on('end', () => response.end('{}')),
  )
  const asked: unknown[] = []
  server.on('secureConnection', (socket) => asked.push(socket.servername))
  const port = await listen(t, server)
  for (const tls of [undefined, authority.issue()]) {
    const { proxyUrl, targets } = await startProxy(t, { port, ...(tls === undefined ? {} : { tls }) })
    const send = sender(t)
    const through = { proxyUrl, ca: authority.ca, allowInsecureHttp: false }
    t.same(await send({ ...through, baseUrl: 'https://provider.test/v1' }), { status: 200 })
    t.same(targets, ['provider.test:443'])
    t.equal(asked.at(-1), 'provider.test')
    t.match(await send({ ...through, baseUrl: 'https://another.test' }), { kind: 'connect', message: /ALTNAME/ })
    t.match(await send({ proxyUrl, baseUrl: 'https://provider.test' }), { kind: 'connect' }, 'unknown authority')
  }
})

t.test('a forward proxy over TLS is who its certificate says, by its address and by its name', async (t) => {
  const authority = createAuthority()
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  fake.otherwise(ok({}))
  const send = sender(t)
  for (const [tls, hosts] of [
    [authority.issue(), ['127.0.0.1', 'localhost']],
    [authority.issue('proxy.test'), []],
  ] as const) {
    const { proxyUrl, targets } = await startProxy(t, { tls })
    for (const host of ['127.0.0.1', 'localhost']) {
      const through = { proxyUrl: proxyUrl.replace('127.0.0.1', host), ca: authority.ca, baseUrl: fake.url }
      if (hosts.some((good) => good === host)) t.same(await send(through), { status: 200 })
      else t.match(await send(through), { kind: 'connect', message: /ALTNAME/ })
    }
    t.equal(targets.length, hosts.length)
  }
})

t.test('a forward proxy is told the login of its address, and the provider is not', async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  fake.otherwise(ok({}))
  const { proxyUrl, logins } = await startProxy(t)
  const withLogin = (login: string) => proxyUrl.replace('//', `//${login}@`)
  const cases: [string, string][] = [
    ['user:p%40ss', 'user:p@ss'],
    ['token', 'token:'],
    [':only', ':only'],
    ['100%:50%25', '100%:50%'],
  ]
  for (const [written, login] of cases) {
    t.same(await sender(t)({ baseUrl: fake.url, proxyUrl: withLogin(written) }), { status: 200 }, written)
    t.equal(logins.at(-1), `Basic ${Buffer.from(login).toString('base64')}`)
  }
  t.notMatch(JSON.stringify(fake.requests), /proxy-|Basic/i)
})

t.test("the environment's forward proxy leads where a manifest names none", async (t) => {
  const fake = await startFakeProvider()
  t.teardown(() => fake.close())
  fake.otherwise(ok({}))
  const [common, own] = [await startProxy(t, { port: fake.port }), await startProxy(t, { port: fake.port })]
  const send = sender(t, {
    forwardProxyOf: ({ hostname }) => (hostname === 'direct.invalid' ? undefined : common.proxyUrl),
  })
  t.same(await send({ baseUrl: 'http://provider.test' }), { status: 200 })
  t.same(common.targets, ['provider.test:80'])
  t.same(await send({ baseUrl: 'http://provider.test', proxyUrl: own.proxyUrl }), { status: 200 })
  t.same([common.targets.length, own.targets], [1, ['provider.test:80']])
  t.match(await send({ baseUrl: 'http://direct.invalid' }), { kind: 'connect' })
  t.equal(common.targets.length, 1)
})

t.test('a forward proxy is not asked for a refused literal address', async (t) => {
  const { proxyUrl, targets } = await startProxy(t)
  t.match(await sender(t)({ baseUrl: 'http://169.254.169.254', proxyUrl }), { kind: 'refused-address' })
  t.same(targets, [])
})

function selfSigned(t: Test): { cert: string; key: string } | undefined {
  const folder = t.testdir()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  try {
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        ...subject,
      ],
      { stdio: 'ignore' },
    )
  } catch {
    return undefined
  }
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}
