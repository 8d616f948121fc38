/**
 * Keeps the authority and the server's certificate of this installation: makes what is missing, renews what is due.
 * Any replica may make what is missing; a write that comes second fails and the other's is read. The leader renews.
 */
import { Backoff } from '../kube/backoff.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { errorFields } from '../kube/log.ts'
import type { Log } from '../kube/log.ts'
import { SECRETS } from '../kube/resource.ts'
import type { Cancel, Milliseconds, Timing } from '../kube/timing.ts'
import { AUTHORITY_SECRET, authorityData, parseAuthority, SERVER_SECRET, serverData } from './authority-secrets.ts'
import { issueAuthority, issueServerCertificate } from './issue.ts'
import { nextRenewal, renewAuthority, serverRenewalReason, trustOf } from './renewal.ts'
import type { AuthorityState } from './renewal.ts'
import { parseServingCertificate } from './serving-certificate.ts'
import type { ServingCertificate } from './serving-certificate.ts'

/** Finds what no watch tells, such as a deleted authority. */
const LOOK_MS = 60_000
/** A right that is missing, or an authority that cannot be used, stays so for long. */
const RETRY_MIN_MS = 500
const RETRY_MAX_MS = 30_000
/** Never more often, however short lives are. */
const MIN_WAIT_MS = 200
const LABELS = { 'app.kubernetes.io/managed-by': 'tollgate' }

export interface OwnAuthorityOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>
  readonly namespace: string
  /** DNS names of the servers. */
  readonly names: readonly string[]
  readonly authorityLifetimeMs: Milliseconds
  readonly serverLifetimeMs: Milliseconds
  readonly timing: Timing
  readonly log: Log
  readonly isLeader: () => boolean
}

export class OwnAuthority {
  readonly #options: OwnAuthorityOptions
  readonly #backoff: Backoff
  #running: Promise<void> | undefined
  #again = false
  #timer: Cancel | undefined
  #stopped = false

  constructor(options: OwnAuthorityOptions) {
    this.#options = options
    this.#backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS, options.timing)
  }

  /** Looks now, and from then on whenever something may be due. Call again when the server's Secret has changed. */
  look(): void {
    if (this.#stopped) return
    this.#timer?.()
    if (this.#running !== undefined) return void (this.#again = true)
    this.#again = false
    this.#running = this.#round()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.()
    await this.#running
  }

  async #round(): Promise<void> {
    const waitMs = await this.#attempt()
    this.#running = undefined
    if (this.#stopped) return
    if (this.#again) this.look()
    else this.#timer = this.#options.timing.after(waitMs, () => this.look())
  }

  /** Milliseconds until the next round. Never rejects. */
  async #attempt(): Promise<Milliseconds> {
    const { timing, log } = this.#options
    try {
      const dueAt = await this.#reconcile()
      this.#backoff.reset()
      return Math.max(MIN_WAIT_MS, Math.min(LOOK_MS, dueAt - timing.now()))
    } catch (error) {
      const isRace = error instanceof KubeError && (error.isConflict || error.isNotFound)
      if (!isRace) log.warn(errorFields(error), 'certificates not kept')
      return this.#backoff.next()
    }
  }

  /** Returns when something is due again. */
  async #reconcile(): Promise<Milliseconds> {
    const { timing, isLeader } = this.#options
    const serverSecret = await this.#read(SERVER_SECRET)
    const server = tryParse(serverSecret)
    // Others act only when nobody leads for so long that there is none.
    if (server !== undefined && server.notAfterMs > timing.now() && !isLeader()) return server.notAfterMs
    const state = await this.#keepAuthority(await this.#read(AUTHORITY_SECRET), server?.trust)
    return nextRenewal(state, await this.#keepServer(state, serverSecret, server))
  }

  async #keepAuthority(secret: KubeObject | undefined, formerTrust: string | undefined): Promise<AuthorityState> {
    const { timing, authorityLifetimeMs: lifetimeMs, log } = this.#options
    const now = timing.now()
    const known = secret === undefined ? undefined : parseAuthority(secret)
    const state = await renewAuthority(known, now, () => issueAuthority({ now, lifetimeMs }), formerTrust)
    if (state === known) return state
    await this.#write(AUTHORITY_SECRET, 'Opaque', authorityData(state), secret)
    log.info(
      { secret: AUTHORITY_SECRET, first: known === undefined, overlap: state.next !== undefined },
      'authority renewed',
    )
    return state
  }

  async #keepServer(
    state: AuthorityState,
    secret: KubeObject | undefined,
    current: ServingCertificate | undefined,
  ): Promise<ServingCertificate> {
    const { timing, names, serverLifetimeMs: lifetimeMs, log } = this.#options
    const now = timing.now()
    const trust = trustOf(state)
    const reason = serverRenewalReason(current, { names, lifetimeMs, state }, now)
    if (reason === undefined && current?.trust === trust) return current
    const issued =
      reason === undefined && current !== undefined
        ? current
        : await issueServerCertificate(state.signer, names, { now, lifetimeMs })
    const data = serverData(issued, trust)
    const written = await this.#write(SERVER_SECRET, 'kubernetes.io/tls', data, secret)
    log.info({ secret: SERVER_SECRET, reason: reason ?? 'trust' }, 'server certificate written')
    return parseServingCertificate(written)
  }

  async #read(name: string): Promise<KubeObject | undefined> {
    const { client, namespace } = this.#options
    try {
      return await client.get(SECRETS, { namespace, name })
    } catch (error) {
      if (error instanceof KubeError && error.isNotFound) return undefined
      throw error
    }
  }

  /** Whoever is second fails with a conflict, and looks again. */
  #write(
    name: string,
    type: string,
    data: ReturnType<typeof serverData>,
    existing: KubeObject | undefined,
  ): Promise<KubeObject> {
    const { client, namespace } = this.#options
    if (existing === undefined)
      return client.create(SECRETS, { metadata: { namespace, name, labels: LABELS }, type, data })
    return client.replace(SECRETS, { ...existing, data })
  }
}

/** A server certificate that cannot be used is as good as none: it is made again. */
function tryParse(secret: KubeObject | undefined): ServingCertificate | undefined {
  try {
    return secret === undefined ? undefined : parseServingCertificate(secret)
  } catch {
    return undefined
  }
}
