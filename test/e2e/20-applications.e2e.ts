/** Unchanged SDK code in pods of many kinds (notes: scenarios 17 and 18). */
import t from 'tap'
import { apply, fieldsOf, get, kubectl, list, run } from './support/kubectl.ts'
import { appPod, exec, image, PROGRAM, podSpec, readyPod, start, type Language } from './support/pods.ts'
import { reach } from './support/reach.ts'
import { platform } from './support/platform.ts'
import { report } from './support/report.ts'

const LANGUAGES: readonly Language[] = ['node', 'python']
const SDKS = ['openai', 'anthropic'] as const
const KEY = (name: string) => ({ 'tollgate.dev/virtual-key': name })
const EMAIL = 'ada.lovelace@example.com'

await platform()
const cluster = await reach(t)
await start(
  t,
  ...LANGUAGES.flatMap((language) => [
    appPod({ name: language, namespace: 'apps', language, annotations: KEY('whole') }),
    appPod({ name: `${language}-masked`, namespace: 'apps', language, annotations: KEY('masked') }),
  ]),
)

for (const language of LANGUAGES) {
  t.test(`${language}: the official SDKs are answered through the sidecar, whole and as a stream`, async (t) => {
    await readyPod('apps', language)
    for (const sdk of SDKS) {
      for (const stream of [false, true]) {
        const prompt = `Hello from ${language} ${sdk} ${stream ? 'stream' : 'whole'}`
        const answer = await cluster.ask('apps', `pods/${language}:8080`, { sdk, stream, prompt })
        t.equal(answer.text, `a was asked: ${prompt}`, prompt)
        if (stream) t.ok(answer.pieces > 3, `it came in ${answer.pieces} pieces`)
      }
    }
  })

  t.test(`${language}: a value is masked on its way to the vendor and restored on its way back`, async (t) => {
    for (const stream of [false, true]) {
      await cluster.vendor('a').set({})
      const prompt = `Write to ${EMAIL} please`
      const answer = await cluster.ask('apps', `pods/${language}:8080`, { stream, prompt })
      t.equal(answer.text, `a was asked: ${prompt}`)
      const [seen] = await cluster.vendor('a').log()
      t.notMatch(seen?.text('body'), EMAIL)
      t.match(seen?.text('body'), /Write to \[\[LLM_REDACTED_EMAIL_[^\]]+\]\] please/)
    }
  })

  t.test(`${language}: a key without the privilege gets the tokens, not the values`, async (t) => {
    await readyPod('apps', `${language}-masked`)
    const prompt = `Write to ${EMAIL} please`
    const answer = await cluster.ask('apps', `pods/${language}-masked:8080`, { sdk: 'anthropic', prompt })
    t.match(answer.text, /Write to \[\[LLM_REDACTED_EMAIL_[^\]]+\]\] please/)
  })
}

t.test('the sidecar starts first, on loopback only, and the pod says what it is', async (t) => {
  const pod = await readyPod('apps', 'node')
  t.equal(pod.text('spec', 'initContainers', 0, 'name'), 'tollgate')
  t.equal(pod.text('metadata', 'labels', 'tollgate.dev/injected'), 'true')
  t.ok(pod.text('metadata', 'annotations', 'tollgate.dev/config-hash').length > 0)
  // Through the pod's own address: what another pod would try.
  const other = `fetch('http://${pod.text('status', 'podIP')}:4141/').then(() => console.log('open'), () => console.log('closed'))`
  t.equal((await exec('apps', 'node-masked', 'app', ['node', '-e', other])).trim(), 'closed')
  t.equal(await cluster.fetch('apps', 'pods/node:4142', '/readyz').then(() => 200), 200, 'health answers on the pod')
})

t.test('an init container calls the gateway before the application starts', async (t) => {
  const first = { name: 'first', image: image('node'), command: [...PROGRAM.node, 'once', 'openai', 'Hello from init'] }
  await start(
    t,
    appPod({ name: 'init', namespace: 'apps', annotations: KEY('whole'), spec: { initContainers: [first] } }),
  )
  await readyPod('apps', 'init')
  t.match(await kubectl(['-n', 'apps', 'logs', 'init', '-c', 'first']), 'a was asked: Hello from init')
  const { startMs, listenMs, readyMs } = await sidecarFigures('apps', 'init')
  report(
    `sidecar alone: listens ${listenMs - startMs} ms, has its configuration ${readyMs - startMs} ms after its process began`,
  )
})

t.test('the sidecar reads its token whatever the users and groups of the pod are', async (t) => {
  const contexts: Readonly<Record<string, object>> = {
    'user-1000': { runAsUser: 1000 },
    'user-1000-group-2000': { runAsUser: 1000, runAsGroup: 2000, fsGroup: 3000 },
    root: { runAsUser: 0 },
    'root-fsgroup': { runAsUser: 0, fsGroup: 0 },
  }
  const pods = Object.entries(contexts)
  await start(
    t,
    ...pods.map(([name, securityContext]) =>
      appPod({ name, namespace: 'apps', annotations: KEY('whole'), securityContext }),
    ),
  )
  for (const [name] of pods) {
    const pod = await readyPod('apps', name)
    const answer = await cluster.ask('apps', `pods/${name}:8080`, { prompt: `Hello from ${name}` })
    t.equal(answer.text, `a was asked: Hello from ${name}`)
    const mounts = pod.list('spec', 'containers', 0, 'volumeMounts').map((mount) => mount.text('name'))
    t.notOk(mounts.includes('tollgate-identity'), 'the application does not have the token')
  }
})

t.test(
  'in a namespace with the Pod Security Standard "restricted" an application is injected and answered',
  async (t) => {
    await kubectl(['label', 'namespace', 'apps', 'pod-security.kubernetes.io/enforce=restricted', '--overwrite'])
    t.teardown(() => kubectl(['label', 'namespace', 'apps', 'pod-security.kubernetes.io/enforce-']))
    const strict = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true }
    const { containers } = podSpec({})
    await apply([
      appPod({
        name: 'restricted',
        namespace: 'apps',
        annotations: KEY('whole'),
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        spec: { containers: containers.map((container) => ({ ...container, securityContext: strict })) },
      }),
    ])
    await readyPod('apps', 'restricted')
    t.equal((await cluster.ask('apps', 'pods/restricted:8080', { prompt: 'Hi' })).text, 'a was asked: Hi')
  },
)

t.test('a Job and a CronJob complete, sidecar and all', async (t) => {
  const template = {
    metadata: { annotations: KEY('whole') },
    spec: {
      restartPolicy: 'Never',
      containers: [
        { name: 'job', image: image('python'), command: [...PROGRAM.python, 'once', 'anthropic', 'Hello from a job'] },
      ],
    },
  }
  await apply([
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'job', namespace: 'apps' },
      spec: { backoffLimit: 0, template },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'cron', namespace: 'apps' },
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { backoffLimit: 0, template } } },
    },
  ])
  await kubectl(['-n', 'apps', 'create', 'job', 'from-cron', '--from=cronjob/cron'])
  for (const name of ['job', 'from-cron']) {
    await kubectl(['-n', 'apps', 'wait', '--for=condition=Complete', `job/${name}`, '--timeout=90s'])
    t.match(await kubectl(['-n', 'apps', 'logs', `job/${name}`, '-c', 'job']), 'a was asked: Hello from a job')
    const [pod] = await list('pods', 'apps', `job-name=${name}`)
    const sidecar = pod?.list('status', 'initContainerStatuses').find((status) => status.text('name') === 'tollgate')
    t.equal(sidecar?.at('state', 'terminated', 'exitCode'), 0, 'the sidecar ended by itself')
  }
})

t.test('a pod that opts out, and one of another namespace, have no sidecar', async (t) => {
  const labels = { 'tollgate.dev/inject': 'false' }
  await start(
    t,
    appPod({ name: 'out', namespace: 'apps', labels, spec: sleeper() }),
    appPod({ name: 'elsewhere', namespace: 'plain', spec: sleeper() }),
  )
  t.same((await get('pod', 'out', 'apps'))?.list('spec', 'initContainers'), [])
  t.same((await get('pod', 'elsewhere', 'plain'))?.list('spec', 'initContainers'), [])
})

t.test('a pod whose key does not exist is refused with the reason', async (t) => {
  const pod = appPod({ name: 'keyless', namespace: 'apps', annotations: KEY('no-such-key') })
  const { code, stderr } = await run('kubectl', ['apply', '-f', '-'], JSON.stringify(pod))
  t.equal(code, 1)
  t.match(stderr, /no-such-key/)
})

t.test('the memory of a sidecar in its pod', async (t) => {
  const { rssMiB } = await sidecarFigures('apps', 'node')
  report(`sidecar after some calls: RSS ${rssMiB.toFixed(1)} MiB`)
  t.ok(rssMiB < 160)
})

/** From the process's own entry in /proc, read by an administrator, and from its log. */
async function sidecarFigures(namespace: string, pod: string) {
  const script = `
    const read = (name) => require('fs').readFileSync('/proc/' + name, 'utf8')
    const ticks = Number(read('1/stat').split(') ')[1].split(' ')[19])
    const startMs = Math.round(Date.now() - (Number(read('uptime').split(' ')[0]) - ticks / 100) * 1000)
    console.log(JSON.stringify({ startMs, rss: Number(/VmRSS:\\s+(\\d+)/.exec(read('1/status'))[1]) }))`
  const process = fieldsOf(JSON.parse(await exec(namespace, pod, 'tollgate', ['node', '-e', script])))
  const log = (await kubectl(['-n', namespace, 'logs', pod, '-c', 'tollgate'])).trim().split('\n')
  const lines = log.map((line) => fieldsOf(JSON.parse(line)))
  const timeOf = (message: string) =>
    Date.parse(lines.find((line) => line.text('msg') === message)?.text('time') ?? 'never')
  return {
    rssMiB: Number(process.at('rss')) / 1024,
    startMs: Number(process.at('startMs')),
    listenMs: timeOf('listening'),
    readyMs: timeOf('configuration in force'),
  }
}

function sleeper() {
  return { containers: [{ name: 'app', image: image('node'), command: ['node', '/app/loader.mjs'] }] }
}
