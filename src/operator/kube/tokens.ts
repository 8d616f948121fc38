import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { asObject, asString, isJsonObject } from '../../domain/json.ts'
import { Secret } from '../../domain/secret.ts'
import type { Milliseconds, Timing } from './timing.ts'

/** The kubelet renews a projected token at 80 % of its life, which is an hour or more: once a minute is often enough. */
const REREAD_MS = 60_000
/** An exec token is renewed so long before it ends. */
const EXEC_MARGIN_MS = 60_000
const EXEC_TIMEOUT_MS = 60_000
const MAX_EXEC_OUTPUT = 1 << 20

const run = promisify(execFile)

/** Gives the bearer token of a request. */
export interface TokenSource {
  /** The token to use now. @throws Error where there is none and none was before. */
  get(): Promise<Secret>
  /** The server refused the last one: the next `get` must not answer from memory. */
  expire(): void
}

/** A token that does not change. */
export function fixedToken(token: string): TokenSource {
  const secret = new Secret(token)
  return { get: () => Promise.resolve(secret), expire: () => undefined }
}

/** A token in a file that somebody else renews. A file that cannot be read for a moment leaves the last one in use. */
export function fileToken(path: string, timing: Timing): TokenSource {
  return cached(timing, async () => {
    const text = (await readFile(path, 'utf8')).trim()
    if (text === '') throw new Error(`${path} holds no token`)
    return { token: new Secret(text), forMs: REREAD_MS }
  })
}

/** The `exec` part of a kubeconfig's user. */
export interface ExecPlugin {
  readonly command: string
  readonly args: readonly string[]
  /** All of the plugin's environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly apiVersion: string
}

/** A token that a credential plugin prints. @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
export function execToken(plugin: ExecPlugin, timing: Timing): TokenSource {
  return cached(timing, async () => {
    const info = { apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec: { interactive: false } }
    const env = { ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) }
    const options = { env, timeout: EXEC_TIMEOUT_MS, maxBuffer: MAX_EXEC_OUTPUT }
    const { stdout } = await run(plugin.command, [...plugin.args], options).catch((error: unknown) => {
      // Without a cause: the error of node:child_process holds what the plugin printed, which may be a token.
      throw new Error(`the credential plugin ${plugin.command} failed (${codeOf(error)})`)
    })
    return parseExecCredential(stdout, plugin.command, timing.now())
  })
}

interface Fetched {
  readonly token: Secret
  readonly forMs: Milliseconds
}

function cached(timing: Timing, fetch: () => Promise<Fetched>): TokenSource {
  let known: Secret | undefined
  let freshUntil = Number.NEGATIVE_INFINITY
  let pending: Promise<Secret> | undefined
  const renew = async (): Promise<Secret> => {
    try {
      const { token, forMs } = await fetch()
      freshUntil = timing.elapsed() + forMs
      known = token
      return token
    } catch (error) {
      if (known === undefined) throw error
      return known
    } finally {
      pending = undefined
    }
  }
  return {
    get: () => {
      if (known !== undefined && timing.elapsed() < freshUntil) return Promise.resolve(known)
      return (pending ??= renew())
    },
    expire: () => {
      freshUntil = Number.NEGATIVE_INFINITY
    },
  }
}

function parseExecCredential(text: string, command: string, nowMs: Milliseconds): Fetched {
  const credential = parseJson(text)
  const status = isJsonObject(credential) ? asObject(credential['status']) : undefined
  const token = asString(status?.['token'])
  if (token === undefined)
    throw new Error(
      `the credential plugin ${command} gave no token (client certificates from plugins are not supported)`,
    )
  const endsAt = Date.parse(asString(status?.['expirationTimestamp']) ?? '')
  return {
    token: new Secret(token),
    forMs: Number.isNaN(endsAt) ? Number.POSITIVE_INFINITY : endsAt - nowMs - EXEC_MARGIN_MS,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
