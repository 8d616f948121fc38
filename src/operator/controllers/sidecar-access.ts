/** What the credentials service asks of the cluster: reviews of tokens, facts of pods, and what is in force. */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonValue } from '../../domain/json.ts'
import { namespacedName } from '../../domain/resources/namespaced-name.ts'
import type { Secret } from '../../domain/secret.ts'
import type { PodFacts, PodLookup, TokenReviewer } from '../credentials/ports.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import type { Log } from '../kube/log.ts'
import { readSummary, summarizePod } from '../injection/pod-summary.ts'
import type { PodSummary } from '../injection/pod-summary.ts'
import type { SidecarRules } from '../injection/sidecar-shape.ts'
import { Reflector } from '../kube/reflector.ts'
import { PODS, TOKEN_REVIEWS } from '../kube/resource.ts'
import type { Timing } from '../kube/timing.ts'

export function tokenReviewer(client: Pick<KubeClient, 'review'>): TokenReviewer {
  return {
    async review(token: Secret, audiences: readonly string[]) {
      const answer = await client.review(TOKEN_REVIEWS, { spec: { token: token.reveal(), audiences: [...audiences] } })
      const status = asObject(answer['status'])
      const user = asObject(status?.['user'])
      return {
        authenticated: status?.['authenticated'] === true,
        username: asString(user?.['username']) ?? '',
        audiences: textsOf(status?.['audiences']),
        extra: Object.fromEntries(
          Object.entries(asObject(user?.['extra']) ?? {}).map(([name, values]) => [name, textsOf(values)]),
        ),
      }
    },
  }
}

export interface PodWatchOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch' | 'get'>
  readonly timing: Timing
  readonly log: Log
  /** Told the uid of a pod that is gone. */
  readonly onDeleted: (uid: string) => void
  readonly rules: Omit<SidecarRules, 'isTrusted'>
  /** Fingerprints of our authorities; undefined: any is taken. */
  readonly authorities: () => ReadonlySet<string> | undefined
}

/** All pods of the cluster, of which only what is asked for is kept. */
export class PodWatch implements PodLookup {
  readonly #options: PodWatchOptions
  readonly #reflector: Reflector

  constructor(options: PodWatchOptions) {
    this.#options = options
    const { client, timing, log, onDeleted, rules } = options
    const transform = (pod: KubeObject) => summarizePod(pod, rules)
    this.#reflector = new Reflector({ client, resource: PODS, timing, log, transform })
    this.#reflector.onChange(({ current, previous }) => {
      const uid = previous?.metadata.uid
      if (uid !== undefined && current?.metadata.uid !== uid) onDeleted(uid)
    })
  }

  start(): void {
    this.#reflector.start()
  }

  stop(): Promise<void> {
    return this.#reflector.stop()
  }

  /** Summaries, for `readSummary`; undefined while not all are known. */
  get summaries(): readonly KubeObject[] | undefined {
    return this.#reflector.hasSynced ? this.#reflector.store.list() : undefined
  }

  /** A sidecar may come before its pod's address is in the cache: then the API server is asked. */
  async get(namespace: string, name: string): Promise<PodFacts | undefined> {
    const pod = namespacedName({ namespace, name })
    const known = this.#reflector.store.get(pod)
    const summary = known === undefined ? undefined : readSummary(known)
    if (summary !== undefined && summary.podIPs.length > 0) return this.#factsOf(pod, summary)
    const { client, rules } = this.#options
    try {
      return this.#factsOf(pod, readSummary(summarizePod(await client.get(PODS, { namespace, name }), rules)))
    } catch (error) {
      if (error instanceof KubeError && error.isNotFound) return undefined
      throw error
    }
  }

  #factsOf(pod: string, summary: PodSummary): PodFacts {
    const { uid, podIPs, serviceAccount, hostNetwork, ended, authorities } = summary
    const ours = this.#options.authorities()
    const isForeign = ours !== undefined && authorities.some((one) => !ours.has(one))
    const problem = isForeign ? 'it trusts an authority that is not ours' : summary.problem
    // The refusal that follows says only that there is none.
    if (problem !== '') this.#options.log.info({ pod, problem }, 'a sidecar is not as it is injected')
    return { uid, podIPs, serviceAccount, hostNetwork, ended, hasSidecar: problem === '' }
  }
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return asArray(value).flatMap((one) => asString(one) ?? [])
}
