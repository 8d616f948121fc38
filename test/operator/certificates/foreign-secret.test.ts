/** Certificates that others keep, such as cert-manager: followed by both servers, also when they are spoilt for a while. */
import { connect } from 'node:tls'
import t from 'tap'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import { SECRETS } from '../../../src/operator/kube/resource.ts'
import { createAuthority } from '../../helpers/certificates.ts'
import { freePort } from '../../helpers/addresses.ts'
import { startInjectionWorld } from '../../helpers/injection.ts'
import { secret, startOperator, SYSTEM } from '../../helpers/operator.ts'
import { until } from '../../helpers/redis.ts'

t.test('with --tls-secret', async (t) => {
  const world = await startInjectionWorld(t, [])
  if (world === undefined) return
  const { plane, redis } = world
  await world.register()
  const authority = createAuthority()
  const put = async () => {
    const { certificate, privateKey } = authority.issue()
    await world.apply(
      secret(SYSTEM, 'given', { 'tls.crt': certificate, 'tls.key': privateKey, 'ca.crt': authority.ca }),
    )
    return certificate
  }
  const port = await freePort()
  const grpc = ['--tls-secret', 'given', '--listen-grpc', `127.0.0.1:${port}`]
  const waiting = await startOperator(t, plane, redis, grpc)
  t.match(await waiting.ready(), /Secret tollgate-system\/given with the server's certificate is not there yet/)
  await put()
  await until(async () => (await waiting.ready()) === 'ok')
  await waiting.end('SIGTERM')

  const operator = await world.startInjecting(...grpc)
  t.equal((await world.caBundle()).trim(), authority.ca.trim())
  const webhookPort = Number(/"webhook":"127.0.0.1:(\d+)"/.exec(operator.output())?.[1])
  const both = () => Promise.all([port, webhookPort].map(presented))
  const before = await both()
  await put()
  await until(async () => (await both()).every((now, index) => now !== before[index]))
  const renewed = await both()
  t.equal(renewed[0], renewed[1], 'gRPC and webhook present the same')

  await world.apply(secret(SYSTEM, 'given', { 'tls.key': 'spoilt' }))
  await until(() => operator.output().includes('certificate not loaded'))
  t.strictSame(await both(), renewed, 'the last good one stays')
  t.equal(await operator.ready(), 'ok')
  await t.rejects(
    plane.client.get(SECRETS, { namespace: SYSTEM, name: 'tollgate-ca' }),
    KubeError,
    'no authority of its own',
  )
})

/** Fingerprint of what a port presents. */
function presented(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] })
    socket.once('error', reject).once('secureConnect', () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
  })
}
