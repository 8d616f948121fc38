/** Variables of the environment with our prefix that nothing reads: most are flags, misspelt. */
import { environmentName } from './command-line.ts'
import { nearest } from './domain/nearest-name.ts'

const PREFIX = 'TOLLGATE_'

/** The flags of all subcommands, here as well: to ask each for its own would load all of them. */
export const FLAGS_IN_ENVIRONMENT: readonly string[] = `
  admin authority-lifetime ca certificate-lifetime certificate-names config delete-secrets demo file format
  generate-redis-secret injection job key kube-rate lease-name listen listen-grpc listen-webhook log-level max-body-bytes
  namespace operator organization project redis redis-secret service sidecar-redis sidecar-redis-ca
  sidecar-redis-secret since state sum-by tag timeout tls-secret token until verify-namespace verify-pod webhook-configuration
`
  .trim()
  .split(/\s+/)

/** What the webhook gives to applications, and what tests and measurements of this repository set. */
const OTHERS = ['TOLLGATE_BASE_URL', 'TOLLGATE_CLUSTER', 'TOLLGATE_PROGRAM']

const KNOWN: ReadonlySet<string> = new Set([...FLAGS_IN_ENVIRONMENT.map(environmentName), ...OTHERS])

/** By these names Kubernetes tells every pod of a namespace of the Services there; ours begin with `tollgate`, too. */
const OF_A_SERVICE = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/
/** The one of them that could be somebody's flag is told by its value. */
const PORT_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//

/**
 * Names the variables that are neither known nor `asked` for, in one line, each with the known one that it may be meant to
 * be; undefined: there are none. An empty variable is none, as for flags.
 */
export function tellStrayVariables(
  environment: NodeJS.ProcessEnv,
  asked: ReadonlySet<string> = new Set(),
): string | undefined {
  const stray = Object.entries(environment)
    .filter(([name, value = '']) => name.startsWith(PREFIX) && value !== '' && !asked.has(name))
    .filter(([name, value = '']) => !KNOWN.has(name) && !isOfService(name, value))
    .map(([name]) => withNearest(name))
  return stray.length === 0 ? undefined : `warning: not known in the environment: ${stray.join(', ')}`
}

/** The environment, and the names that it has been asked for: manifests may name any variable. */
export function noteAsked(environment: NodeJS.ProcessEnv) {
  const asked = new Set<string>()
  const noting = new Proxy(environment, {
    get(target, name) {
      if (typeof name === 'string') asked.add(name)
      return Reflect.get(target, name)
    },
  })
  return { environment: noting, asked }
}

function isOfService(name: string, value: string): boolean {
  return OF_A_SERVICE.test(name) || (name.endsWith('_PORT') && PORT_OF_A_SERVICE.test(value))
}

function withNearest(name: string): string {
  const known = [...KNOWN].map((one) => one.slice(PREFIX.length))
  const meant = nearest(name.slice(PREFIX.length), known)
  return meant === undefined ? name : `${name} (${PREFIX}${meant}?)`
}
