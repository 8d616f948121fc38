/**
 * What the applications' containers get, so that unchanged SDKs call the sidecar. Pure.
 *
 * A vendor's key is given only where its base URL is the sidecar's: an application that calls another address must not
 * send the virtual key there. What is set already stays (`auto`), or takes our value (`override`).
 */
import { asArray, asObject, asString } from '../../domain/json.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { EnvMode } from './settings.ts'

/** Where the key's text is. */
export interface KeyReference {
  readonly secretName: string
  readonly entry: string
}

export interface EnvWishes {
  readonly mode: EnvMode
  readonly dataPort: number
  readonly key: KeyReference
}

export interface EnvChanges {
  readonly added: readonly JsonObject[]
  /** By index in the container's `env`. */
  readonly replaced: readonly { readonly index: number; readonly entry: JsonObject }[]
  /** Names that were set already and stay. */
  readonly kept: readonly string[]
}

/** As the official SDKs read them. `otherKeys` take precedence over `key` there. */
const VENDORS = [
  { baseUrl: 'OPENAI_BASE_URL', path: '/adapters/openai/v1', key: 'OPENAI_API_KEY', otherKeys: [] },
  {
    baseUrl: 'ANTHROPIC_BASE_URL',
    path: '/adapters/anthropic',
    key: 'ANTHROPIC_API_KEY',
    otherKeys: ['ANTHROPIC_AUTH_TOKEN'],
  },
  { baseUrl: 'GOOGLE_GEMINI_BASE_URL', path: '/adapters/gemini', key: 'GEMINI_API_KEY', otherKeys: ['GOOGLE_API_KEY'] },
] as const
const OWN_BASE_URL = 'TOLLGATE_BASE_URL'
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost):(\d+)(?:\/|$)/

/** What is to be done to a container's variables; nothing where it has been done. */
export function planEnv(container: JsonObject, { mode, dataPort, key }: EnvWishes): EnvChanges {
  if (mode === 'off') return { added: [], replaced: [], kept: [] }
  const existing = new Map(
    asArray(container['env']).map((entry, index) => [asString(asObject(entry)?.['name']) ?? '', { index, entry }]),
  )
  const added: JsonObject[] = []
  const replaced: { index: number; entry: JsonObject }[] = []
  const kept: string[] = []
  const set = (entry: JsonObject & { name: string }): void => {
    const found = existing.get(entry.name)
    if (found === undefined) added.push(entry)
    else if (isSame(asObject(found.entry), entry)) return
    else if (mode === 'override') replaced.push({ index: found.index, entry })
    else kept.push(entry.name)
  }
  const isElsewhere = (name: string): boolean => {
    const found = existing.get(name)
    return mode === 'auto' && found !== undefined && !isSidecar(asObject(found.entry), dataPort)
  }
  set({ name: OWN_BASE_URL, value: `http://127.0.0.1:${dataPort}` })
  for (const vendor of VENDORS) {
    set({ name: vendor.baseUrl, value: `http://127.0.0.1:${dataPort}${vendor.path}` })
    const other = vendor.otherKeys.find((name) => existing.has(name))
    if (mode === 'auto' && other !== undefined) kept.push(other)
    else if (!isElsewhere(vendor.baseUrl))
      set({ name: vendor.key, valueFrom: { secretKeyRef: { name: key.secretName, key: key.entry } } })
  }
  return { added, replaced, kept }
}

/** Whether a base URL of the application's own is the sidecar's too, at whichever path. */
function isSidecar(entry: JsonObject | undefined, dataPort: number): boolean {
  return LOOPBACK.exec(asString(entry?.['value']) ?? '')?.[1] === String(dataPort)
}

function isSame(found: JsonObject | undefined, wanted: JsonObject): boolean {
  const reference = (entry: JsonObject | undefined) => asObject(asObject(entry?.['valueFrom'])?.['secretKeyRef'])
  if (wanted['value'] !== undefined) return found?.['value'] === wanted['value']
  const [have, want] = [reference(found), reference(wanted)]
  return have?.['name'] === want?.['name'] && have?.['key'] === want?.['key']
}
