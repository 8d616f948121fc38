/** Which VirtualKey a pod's applications get: the one that it names, else the only one of its namespace. */
import { asArray, asObject, asString } from '../../domain/json.ts'
import { generatedSecretNameOf } from '../controllers/generated-secret.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { INJECT_LABEL, VIRTUAL_KEY_ANNOTATION } from './annotations.ts'
import type { KeyReference } from './application-env.ts'

/** In a message; more names help nobody. */
const MAX_NAMES = 10

export interface KeyLookup {
  /** @throws where neither cache nor API server can tell. */
  find(namespace: string, name: string): Promise<KubeObject | undefined>
  list(namespace: string): Promise<readonly KubeObject[]>
}

export interface KeyWish {
  readonly namespace: string
  /** Undefined: the namespace's only one. */
  readonly name: string | undefined
  readonly serviceAccount: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type KeyChoice =
  | { readonly type: 'chosen'; readonly key: KeyReference; readonly warnings: readonly string[] }
  | { readonly type: 'refused'; readonly message: string }

/** @throws as `lookup` does */
export async function chooseKey(wish: KeyWish, lookup: KeyLookup): Promise<KeyChoice> {
  const { namespace, name } = wish
  if (name !== undefined) {
    const found = await lookup.find(namespace, name)
    if (found !== undefined && !isEnding(found)) return chosen(found, wish)
    return refused(
      `VirtualKey ${name} not found in namespace ${namespace}; set annotation ${VIRTUAL_KEY_ANNOTATION} or create it`,
    )
  }
  const all = (await lookup.list(namespace)).filter((key) => !isEnding(key))
  const [first] = all
  if (first !== undefined && all.length === 1) return chosen(first, wish)
  return refused(first === undefined ? noKeyMessage(namespace) : manyKeysMessage(namespace, all))
}

function noKeyMessage(namespace: string): string {
  return (
    `namespace ${namespace} has no VirtualKey; create one and name it with annotation ${VIRTUAL_KEY_ANNOTATION}, ` +
    `or set the label ${INJECT_LABEL}=false on pods that need none`
  )
}

function manyKeysMessage(namespace: string, keys: readonly KubeObject[]): string {
  const names = keys.map(({ metadata }) => metadata.name).toSorted()
  const shown = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', ...' : '')
  return `namespace ${namespace} has ${names.length} VirtualKeys (${shown}); name one of them with annotation ${VIRTUAL_KEY_ANNOTATION}`
}

function chosen(key: KubeObject, { serviceAccount, now }: KeyWish): KeyChoice {
  const spec = asObject(key['spec'])
  const brought = asObject(asObject(spec?.['key'])?.['secretRef'])
  const reference = {
    secretName: asString(brought?.['name']) ?? generatedSecretNameOf(key),
    entry: (brought === undefined ? undefined : asString(brought['key'])) ?? 'key',
  }
  const accounts = asArray(asObject(spec?.['access'])?.['serviceAccounts'])
  const expiresAt = Date.parse(asString(spec?.['expiresAt']) ?? '')
  const trouble = [
    ...(spec?.['suspended'] === true ? ['is suspended'] : []),
    ...(expiresAt <= now ? ['has expired'] : []),
    ...(accounts.length > 0 && !accounts.includes(serviceAccount)
      ? [`is not for ServiceAccount ${serviceAccount}`]
      : []),
  ]
  const warnings = (trouble.length > 0 ? trouble : notReady(key)).map(
    (what) => `tollgate: VirtualKey ${key.metadata.name} ${what}: its calls will be refused`,
  )
  return { type: 'chosen', key: reference, warnings }
}

/** A key that was made a moment ago says nothing yet. */
function notReady(key: KubeObject): readonly string[] {
  const ready = asArray(asObject(key['status'])?.['conditions'])
    .map(asObject)
    .find((condition) => condition?.['type'] === 'Ready')
  return ready?.['status'] === 'False' ? [`is not ready (${asString(ready['reason']) ?? ''})`] : []
}

function isEnding({ metadata }: KubeObject): boolean {
  return metadata['deletionTimestamp'] !== undefined
}

function refused(message: string): KeyChoice {
  return { type: 'refused', message }
}
