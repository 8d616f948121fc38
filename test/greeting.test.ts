/** What `--demo` prints, of the providers that answer. The keys and calls that it shows: behaviour/life-of-the-process.test.ts. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { greeting } from '../src/greeting.ts'
import { ConfigurationHolder, deriveSecrets } from '../src/proxy/config/configuration.ts'
import { StateDirectory } from '../src/proxy/config/state-directory.ts'
import { StandaloneConfiguration } from '../src/standalone-configuration.ts'
import { yaml } from './helpers/gateway.ts'

const KEY = 'apiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata: { name: k }\nspec: {}\n'
const PROVIDER = `apiVersion: tollgate.dev/v1alpha1
kind: Provider
metadata: { name: openai }
spec:
  type: OpenAI
  countries: [us]
  credentials: { type: Bearer, secretRef: { name: s } }
  models: [{ name: m }]
`
const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { apiKey: "${OPENAI_API_KEY}" }\n'

async function greetingOf(t: Test, manifests: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const state = new StateDirectory(undefined)
  const configuration = new StandaloneConfiguration({
    paths: [join(t.testdir({ 'all.yaml': manifests }), 'all.yaml')],
    environment,
    state,
    secrets: deriveSecrets(state.masterSecret()),
    holder: new ConfigurationHolder(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    now: () => 0,
    wallNow: () => 0,
    loaded() {},
    later() {},
  })
  t.equal(await configuration.reload(), true)
  t.equal(configuration.hasUsableProvider(), false)
  return greeting('http://127.0.0.1:1', configuration, true)
}

t.test('what is said of the providers for which the demo stands is true, whatever they lack', async (t) => {
  const said =
    '\nNo provider of the manifests is in use: two demo providers answer (no model behind them; one fails every third call).\n'
  const cases: Record<string, [string, NodeJS.ProcessEnv]> = {
    'no key': [yaml(KEY, SECRET, PROVIDER), {}],
    'a placeholder': [yaml(KEY, SECRET, PROVIDER), { OPENAI_API_KEY: '<your-key>' }],
    'a key, and no Secret': [yaml(KEY, PROVIDER), { OPENAI_API_KEY: 'sk-of-a-vendor' }],
    'a key, and none declared': [KEY, { OPENAI_API_KEY: 'sk-of-a-vendor' }],
  }
  for (const [name, [manifests, environment]] of Object.entries(cases))
    t.ok((await greetingOf(t, manifests, environment)).includes(said), name)
})
