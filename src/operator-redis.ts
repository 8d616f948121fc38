/** The operator's side of Redis: the connection, the Secrets with its login and with the sidecars', what is wrong there. Wiring only. */
import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { Secret } from './domain/secret.ts'
import { evictionWatch } from './eviction.ts'
import type { RedisSettings } from './operator-flags.ts'
import { errorFields, type Log } from './operator/kube/log.ts'
import { Repetition } from './operator/kube/repetition.ts'
import { storeTrouble } from './operator/publish/store-trouble.ts'
import { followRedisLogin, type RedisLogin, type RedisLoginOptions } from './operator/redis-login.ts'
import { connectRedis, unconnectedRedis, type RedisConnection } from './proxy/stores/redis/redis-client.ts'

export interface RedisListeners {
  /** It can be asked, again or for the first time. */
  onReady(): void
  /** The operator has another login. */
  onLogin(): void
  /** The sidecars have another login. */
  onSidecarLogin(): void
}

export class OperatorRedis {
  readonly connection: RedisConnection
  readonly #settings: RedisSettings
  readonly #log: Log
  readonly #listeners: RedisListeners
  readonly #tellEviction: () => Promise<void>
  #url: Secret
  #sidecarUrl: Secret | undefined
  #cause: Error | undefined
  readonly #failures = new Repetition(() => performance.now())

  /** Connects, unless the login is in a Secret: then when that is followed. */
  constructor(settings: RedisSettings, log: Log, listeners: RedisListeners) {
    this.#settings = settings
    this.#log = log
    this.#listeners = listeners
    this.#url = new Secret(settings.url)
    const options = { onChange: (ready: boolean, cause: Error | undefined) => this.#changed(ready, cause) }
    this.connection = settings.secret === undefined ? connectRedis(settings.url, options) : unconnectedRedis(options)
    this.#tellEviction = evictionWatch(this.connection, log)
  }

  /** With the operator's login, as far as it is known. */
  get url(): Secret {
    return this.#url
  }

  /** With the login of all sidecars; undefined: it is not known yet, or each namespace has one of its own. */
  get sidecarUrl(): Secret | undefined {
    return this.#sidecarUrl
  }

  /** What statuses say where publishing has failed with `error`. */
  troubleOf(error: unknown): string {
    return storeTrouble(this.#url, this.#cause, error)
  }

  /** Follows the Secrets with logins, where such are named. `first` resolves when the operator's own is known. */
  followLogins(followed: Pick<RedisLoginOptions, 'client' | 'timing' | 'log' | 'namespace'>): RedisLogin {
    const { secret, sidecarSecret, url, sidecarUrl, generateSecret } = this.#settings
    const own = redisLogin(secret, {
      ...followed,
      url,
      randomBytes: generateSecret ? randomBytes : undefined,
      onChange: (complete) => {
        this.#url = complete
        this.connection.redirect(complete.reveal())
        this.#listeners.onLogin()
      },
    })
    const sidecars = redisLogin(sidecarSecret, {
      ...followed,
      url: sidecarUrl,
      onChange: (complete) => {
        this.#sidecarUrl = complete
        this.#listeners.onSidecarLogin()
      },
    })
    return {
      first: own?.first ?? Promise.resolve(),
      async stop() {
        await Promise.all([own?.stop(), sidecars?.stop()])
      },
    }
  }

  #changed(ready: boolean, cause: Error | undefined): void {
    this.#cause = cause
    const fields = { ready, ...(cause === undefined ? {} : errorFields(cause)) }
    if (!ready) {
      if (this.#failures.isDue(JSON.stringify(fields))) this.#log.warn(fields, 'Redis')
      return
    }
    this.#failures.over()
    this.#log.info(fields, 'Redis')
    this.#listeners.onReady()
    void this.#tellEviction()
  }
}

/** Follows the Secret with a login, where one is named. */
function redisLogin(name: string | undefined, options: Omit<RedisLoginOptions, 'name'>): RedisLogin | undefined {
  return name === undefined ? undefined : followRedisLogin({ ...options, name })
}
