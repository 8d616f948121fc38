/**
 * The secrets of an installation, each in a Secret of the operator's namespace, made once: whoever comes first makes
 * it, all others read it. A Secret that an administrator has put there beforehand is taken.
 */
import { Secret } from '../../domain/secret.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import type { KubeObject } from '../kube/kube-object.ts'
import { SECRETS } from '../kube/resource.ts'
import { createSigner, generateSigningKey } from '../publish/sign.ts'
import { entryOf } from './generated-secret.ts'

export const MASTER_SECRET = 'tollgate-master'
export const SIGNING_SECRET = 'tollgate-signing'
const ENTRY = 'key'
const MASTER_BYTES = 32
const MASTER_FORM = /^[0-9a-f]{64,}$/

export interface InstallationSecrets {
  /** Hexadecimal; everything else is derived from it. */
  readonly master: Secret
  /** PKCS#8 PEM, Ed25519. */
  readonly signingKey: Secret
}

/** @throws KubeError; Error where a Secret is there and does not hold what it should. */
export async function installationSecrets(
  client: Pick<KubeClient, 'get' | 'create'>,
  namespace: string,
  randomBytes: (count: number) => Uint8Array,
): Promise<InstallationSecrets> {
  const newMaster = () => new Secret(Buffer.from(randomBytes(MASTER_BYTES)).toString('hex'))
  const master = await readOrMake(client, namespace, MASTER_SECRET, newMaster)
  return { master, signingKey: await readOrMake(client, namespace, SIGNING_SECRET, generateSigningKey) }
}

async function readOrMake(
  client: Pick<KubeClient, 'get' | 'create'>,
  namespace: string,
  name: string,
  make: () => Secret,
): Promise<Secret> {
  const found = (await read(client, namespace, name)) ?? (await create(client, namespace, name, make()))
  return usableKey(found)
}

/**
 * Whether `secret` is one of them, with another value than this process works with: it was deleted, and another replica has
 * made it anew. What is derived from the two does not match. Not where nobody could begin with that value.
 */
export function isReplaced(
  secret: KubeObject,
  namespace: string,
  { master, signingKey }: InstallationSecrets,
): boolean {
  if (secret.metadata.namespace !== namespace) return false
  const known = new Map([
    [MASTER_SECRET, master],
    [SIGNING_SECRET, signingKey],
  ]).get(secret.metadata.name)
  if (known === undefined) return false
  try {
    return usableKey(secret).reveal() !== known.reveal()
  } catch {
    return false
  }
}

/** What an operator can work with. @throws {Error} which does not show it */
function usableKey(secret: KubeObject): Secret {
  const value = installationKey(secret)
  const { namespace, name } = secret.metadata
  if (name === SIGNING_SECRET) createSigner(value)
  else if (!MASTER_FORM.test(value.reveal()))
    throw new Error(`entry ${ENTRY} of Secret ${namespace}/${name} must be 64 or more hexadecimal digits`)
  return value
}

/** What one of these Secrets holds. @throws {Error} where it holds nothing */
export function installationKey(secret: KubeObject): Secret {
  const { namespace, name } = secret.metadata
  const value = entryOf(secret, ENTRY)
  if (value === undefined) throw new Error(`Secret ${namespace}/${name} has no entry ${ENTRY}`)
  return value
}

async function read(client: Pick<KubeClient, 'get'>, namespace: string, name: string): Promise<KubeObject | undefined> {
  try {
    return await client.get(SECRETS, { namespace, name })
  } catch (error) {
    if (error instanceof KubeError && error.isNotFound) return undefined
    throw error
  }
}

async function create(
  client: Pick<KubeClient, 'get' | 'create'>,
  namespace: string,
  name: string,
  value: Secret,
): Promise<KubeObject> {
  const data = { [ENTRY]: Buffer.from(value.reveal()).toString('base64') }
  const labels = { 'app.kubernetes.io/managed-by': 'tollgate' }
  try {
    return await client.create(SECRETS, { metadata: { namespace, name, labels }, type: 'Opaque', data })
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error
    return client.get(SECRETS, { namespace, name })
  }
}
