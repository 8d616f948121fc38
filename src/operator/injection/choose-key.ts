/** Which VirtualKey a pod's applications get: the one that it names, else the only one of its namespace that it can use. */
import { asObject, asString } from '../../domain/json.ts'
import { generatedSecretNameOf } from '../controllers/generated-secret.ts'
import { conditionOf } from '../kube/conditions.ts'
import { isDeleting } from '../kube/kube-object.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { INJECT_LABEL, VIRTUAL_KEY_ANNOTATION } from './annotations.ts'
import type { KeyReference } from './application-env.ts'
import { accountsOf, isAccepted, isEligible, listed, whyUseless } from './usable-key.ts'

export interface KeyLookup {
  /** @throws where neither cache nor API server can tell. */
  find(namespace: string, name: string): Promise<KubeObject | undefined>
  list(namespace: string): Promise<readonly KubeObject[]>
}

export interface KeyWish {
  readonly namespace: string
  /** Undefined: the only one that the pod can use. */
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
  if (name === undefined) return chooseUnnamed(wish, (await lookup.list(namespace)).filter(isEligible))
  const found = await lookup.find(namespace, name)
  if (found !== undefined && !isDeleting(found)) return chosen(found, wish)
  return refused(
    `VirtualKey ${name} not found in namespace ${namespace}; set annotation ${VIRTUAL_KEY_ANNOTATION} or create it`,
  )
}

/** The only key that the pod can use; where there is one key in all, that one in any case, with a warning. */
function chooseUnnamed(wish: KeyWish, all: readonly KubeObject[]): KeyChoice {
  const { namespace } = wish
  const useful = usefulKeys(all, wish)
  const [first] = useful.length === 0 && all.length === 1 ? all : useful
  if (first !== undefined && useful.length < 2) return withRest(chosen(first, wish), first, all, wish)
  if (useful.length > 0) return refused(manyKeysMessage(namespace, useful))
  return refused(all.length === 0 ? noKeyMessage(namespace) : noUsefulKeyMessage(all, wish))
}

/** Those that are accepted; where none is, those of which nothing is known yet. */
function usefulKeys(all: readonly KubeObject[], wish: KeyWish): readonly KubeObject[] {
  const useful = all.filter((key) => troublesOf(key, wish).length === 0)
  const accepted = useful.filter(isAccepted)
  return accepted.length > 0 ? accepted : useful
}

/** Another key that becomes usable refuses the next pod: said while there is time to name this one. */
function withRest(choice: KeyChoice, key: KubeObject, all: readonly KubeObject[], wish: KeyWish): KeyChoice {
  if (choice.type !== 'chosen' || all.length < 2) return choice
  const rest = listed(all.filter((one) => one !== key).map((one) => describe(one, wish)))
  const { name } = key.metadata
  const warning = `tollgate: VirtualKey ${name} is taken; name it with annotation ${VIRTUAL_KEY_ANNOTATION}, or pods are refused once another can be used: ${rest}`
  return { ...choice, warnings: [...choice.warnings, warning] }
}

function noKeyMessage(namespace: string): string {
  return (
    `namespace ${namespace} has no VirtualKey; create one and name it with annotation ${VIRTUAL_KEY_ANNOTATION}, ` +
    `or set the label ${INJECT_LABEL}=false on pods that need none`
  )
}

function noUsefulKeyMessage(all: readonly KubeObject[], wish: KeyWish): string {
  const keys = listed(all.map((key) => describe(key, wish)))
  return `namespace ${wish.namespace} has no VirtualKey that this pod can use: ${keys}; mend one, or name one with annotation ${VIRTUAL_KEY_ANNOTATION}`
}

function manyKeysMessage(namespace: string, keys: readonly KubeObject[]): string {
  const names = listed(keys.map(({ metadata }) => metadata.name))
  return `namespace ${namespace} has ${keys.length} VirtualKeys (${names}); name one of them with annotation ${VIRTUAL_KEY_ANNOTATION}`
}

/** `old (is suspended)`. */
function describe(key: KubeObject, wish: KeyWish): string {
  return `${key.metadata.name} (${troublesOf(key, wish).join(', ') || 'is not accepted yet'})`
}

function chosen(key: KubeObject, wish: KeyWish): KeyChoice {
  const spec = asObject(key['spec'])
  const brought = asObject(asObject(spec?.['key'])?.['secretRef'])
  const reference = {
    secretName: asString(brought?.['name']) ?? generatedSecretNameOf(key),
    entry: (brought === undefined ? undefined : asString(brought['key'])) ?? 'key',
  }
  const troubles = troublesOf(key, wish)
  const warnings = (troubles.length > 0 ? troubles : notReady(key)).map(
    (what) => `tollgate: VirtualKey ${key.metadata.name} ${what}: its calls will be refused`,
  )
  return { type: 'chosen', key: reference, warnings }
}

/** Why the pod cannot use the key. */
function troublesOf(key: KubeObject, { serviceAccount, now }: KeyWish): readonly string[] {
  const accounts = accountsOf(key)
  const isForOthers = accounts.length > 0 && !accounts.includes(serviceAccount)
  return [...whyUseless(key, now), ...(isForOthers ? [`is not for ServiceAccount ${serviceAccount}`] : [])]
}

/** A key that was made a moment ago says nothing yet. */
function notReady(key: KubeObject): readonly string[] {
  const ready = conditionOf(key, 'Ready')
  return ready?.['status'] === 'False' ? [`is not ready (${asString(ready['reason']) ?? ''})`] : []
}

function refused(message: string): KeyChoice {
  return { type: 'refused', message }
}
