import { randomBytes } from 'node:crypto'
import t from 'tap'
import {
  installationSecrets,
  isReplaced,
  MASTER_SECRET,
  SIGNING_SECRET,
} from '../../../src/operator/controllers/installation-secrets.ts'
import type { KubeObject } from '../../../src/operator/kube/kube-object.ts'
import { generateSigningKey } from '../../../src/operator/publish/sign.ts'
import { Secret } from '../../../src/domain/secret.ts'

const SYSTEM = 'tollgate-system'
const IN_USE = { master: new Secret('a'.repeat(64)), signingKey: generateSigningKey() }

function secret(name: string, value: string, namespace = SYSTEM): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    data: { key: Buffer.from(value).toString('base64') },
  }
}

/** What an operator begins with where its namespace holds these. */
function startWith(...secrets: readonly KubeObject[]) {
  const get = async (_resource: unknown, { name }: { readonly name: string }) => {
    const found = secrets.find(({ metadata }) => metadata.name === name)
    if (found === undefined) throw new Error(`${name} was asked for`)
    return found
  }
  const create = () => Promise.reject(new Error('nothing is to be made'))
  return installationSecrets({ get, create }, SYSTEM, randomBytes)
}

t.test('another value is one that an operator could begin with', async (t) => {
  const { master, signingKey } = IN_USE
  const [newMaster, newSigning] = ['b'.repeat(64), generateSigningKey().reveal()]
  const begun = await startWith(secret(MASTER_SECRET, newMaster), secret(SIGNING_SECRET, newSigning))
  t.equal(begun.master.reveal(), newMaster)
  t.equal(begun.signingKey.reveal(), newSigning)
  t.ok(isReplaced(secret(MASTER_SECRET, newMaster), SYSTEM, IN_USE))
  t.ok(isReplaced(secret(SIGNING_SECRET, newSigning), SYSTEM, IN_USE))
  t.notOk(isReplaced(secret(MASTER_SECRET, master.reveal()), SYSTEM, IN_USE))
  t.notOk(isReplaced(secret(SIGNING_SECRET, signingKey.reveal()), SYSTEM, IN_USE))
  t.notOk(isReplaced(secret(MASTER_SECRET, newMaster, 'team'), SYSTEM, IN_USE))
  t.notOk(isReplaced(secret('another', newMaster), SYSTEM, IN_USE))
})

t.test('what nobody could begin with neither ends an operator nor lets one begin', async (t) => {
  const good = {
    master: secret(MASTER_SECRET, 'b'.repeat(64)),
    signing: secret(SIGNING_SECRET, IN_USE.signingKey.reveal()),
  }
  for (const value of ['', 'garbage', `${'b'.repeat(64)}\n`]) {
    t.notOk(isReplaced(secret(MASTER_SECRET, value), SYSTEM, IN_USE))
    await t.rejects(startWith(secret(MASTER_SECRET, value), good.signing), { message: /Secret .*tollgate-master/ })
    t.notOk(isReplaced(secret(SIGNING_SECRET, value), SYSTEM, IN_USE))
    await t.rejects(startWith(good.master, secret(SIGNING_SECRET, value)), { message: /signing/ })
  }
})
