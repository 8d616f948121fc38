/** How often the configuration is built where changes keep coming: a build takes as long as there are keys. */
import t from 'tap'
import type { JsonObject } from '../../../src/domain/json.ts'
import { Secret } from '../../../src/domain/secret.ts'
import { Configuration, type ConfigurationOptions } from '../../../src/operator/controllers/configuration.ts'
import { keyDigests } from '../../../src/operator/controllers/key-digests.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { ObjectStore } from '../../../src/operator/kube/object-store.ts'
import { Publisher } from '../../../src/operator/publish/publisher.ts'
import { createSigner, generateSigningKey } from '../../../src/operator/publish/sign.ts'
import { ManualTiming } from '../kube/manual-timing.ts'
import { recordedLog } from '../kube/recorded-log.ts'

const BUILD_MS = 100

/** Each build reads the namespaces once. */
class SlowStore extends ObjectStore {
  readonly #timing: ManualTiming

  constructor(timing: ManualTiming) {
    super()
    this.#timing = timing
  }

  override list() {
    this.#timing.freeze(BUILD_MS)
    return super.list()
  }
}

/** A configuration of nothing, each build of which takes `BUILD_MS`; `builtAt` is when they ended. */
function startConfiguration(options: Partial<ConfigurationOptions> = {}) {
  const timing = new ManualTiming()
  const log = recordedLog()
  const builtAt: number[] = []
  const [virtualKeys, providers, organizations] = [new ObjectStore(), new ObjectStore(), new ObjectStore()]
  const unexpected = (): never => {
    throw new Error('not expected')
  }
  const configuration = new Configuration({
    timing,
    log,
    view: {
      virtualKeys,
      providers,
      organizations,
      namespaces: new SlowStore(timing),
      secret: () => undefined,
      secretAccess: () => 'readable',
    },
    namespace: 'system',
    reservedSecrets: new Set(),
    contentHash: (text) => text,
    digestOf: keyDigests(new Secret('00'.repeat(32))),
    checkPattern: () => undefined,
    digestsInForce: async () => new Map(),
    onPublish: unexpected,
    onBuilt: () => void builtAt.push(timing.elapsed()),
    onPublished: unexpected,
    onPublicationFailed: unexpected,
    storeTrouble: unexpected,
    onRepaired: unexpected,
    onLook: () => undefined,
    onFenced: unexpected,
    ...options,
  })
  configuration.start()
  return { configuration, timing, builtAt, log }
}

t.test(
  'changes with pauses between them: builds take an eighth of the time, and the last change is built',
  async (t) => {
    const { configuration, timing, builtAt } = startConfiguration()
    for (const end = 20_000; timing.elapsed() < end;) {
      configuration.request()
      await timing.advance(150)
    }
    t.ok(builtAt.length * BUILD_MS <= 20_000 / 8 + 500 + BUILD_MS, `${builtAt.length} builds`)
    t.ok(builtAt.length >= 20, `${builtAt.length} builds`)
    const before = builtAt.length
    configuration.request()
    await timing.advance(5_000)
    t.ok(builtAt.length > before)
    await configuration.stop()
  },
)

t.test('a few changes after a quiet time wait for no more than quiet', async (t) => {
  const { configuration, timing, builtAt } = startConfiguration()
  await timing.advance(10_000)
  t.equal(builtAt.length, 1)
  for (let change = 0; change < 3; change += 1) {
    configuration.request()
    await timing.advance(100 + BUILD_MS)
  }
  t.equal(builtAt.length, 4)
  await configuration.stop()
})

t.test('while Redis is away the attempts do not multiply, and the log says so a few times an hour', async (t) => {
  const away = () => Promise.reject(new Error('not connected to Redis'))
  const { configuration, timing, builtAt, log } = startConfiguration({
    digestsInForce: away,
    onPublicationFailed: () => undefined,
    storeTrouble: () => 'it is away',
  })
  timing.chance = 0.5
  const publisher = new Publisher({
    redis: { isCluster: false, send: away, run: away, sendToAll: away },
    signer: createSigner(generateSigningKey()),
    epoch: 1,
    contentHash: (text) => text,
    now: () => timing.now(),
  })
  configuration.lead({ publisher, isLeader: () => true, look: away })
  await timing.advance(3_600_000)
  t.ok(builtAt.length > 1_000 && builtAt.length < 1_400, `${builtAt.length} attempts`)
  t.ok(log.entries.length <= 12, `${log.entries.length} lines`)
  await configuration.stop()
})

t.test('an expiry is met within seconds where the clock was set, or the machine has slept', async (t) => {
  let ahead = 0
  class SetTiming extends ManualTiming {
    override now() {
      return super.now() + ahead
    }
  }
  const timing = new SetTiming()
  const [virtualKeys, organizations, namespaces] = [new ObjectStore(), new ObjectStore(), new ObjectStore()]
  const object = (kind: string, metadata: KubeObject['metadata'], rest: JsonObject): KubeObject => ({
    apiVersion: 'tollgate.dev/v1alpha1',
    kind,
    metadata,
    ...rest,
  })
  namespaces.put('team', object('Namespace', { name: 'team' }, {}))
  const grants = [{ name: 'all', namespaceSelector: {}, privileges: [] }]
  organizations.put('acme', object('Organization', { name: 'acme' }, { spec: { grants } }))
  const secretRef = { name: 'brought', key: 'key' }
  const expiresAt = new Date(timing.now() + 3_600_000).toISOString()
  const spec = {
    organizationRef: { name: 'acme' },
    key: { source: 'SecretRef', secretRef },
    suspended: false,
    expiresAt,
  }
  virtualKeys.put('team/x', object('VirtualKey', { namespace: 'team', name: 'x' }, { spec }))
  const data = { key: Buffer.from('k'.repeat(40)).toString('base64') }
  const secret = object('Secret', { namespace: 'team', name: 'brought' }, { data })
  const isOver: (boolean | undefined)[] = []
  const { configuration } = startConfiguration({
    timing,
    view: {
      virtualKeys,
      providers: new ObjectStore(),
      organizations,
      namespaces,
      secret: () => secret,
      secretAccess: () => 'readable',
    },
    onBuilt: ({ snapshot }) => void isOver.push(snapshot.virtualKeys[0]?.suspended),
  })
  await timing.advance(30_000)
  t.same(isOver, [false])
  ahead = 3_600_000
  await timing.advance(15_000)
  t.same(isOver, [false, true])
  await timing.advance(60_000)
  ahead = 0
  await timing.advance(15_000)
  t.same(isOver, [false, true, false], 'and taken back where the clock was')
  await configuration.stop()
})
