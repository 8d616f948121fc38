import t from 'tap'
import { KubeError } from '../../../src/operator/kube/kube-error.ts'
import { CONFIG_MAPS, SECRETS, TOKEN_REVIEWS } from '../../../src/operator/kube/resource.ts'
import type { Resource } from '../../../src/operator/kube/resource.ts'
import { unquoted } from '../../../src/operator/kube/unquoted.ts'

const TEXT = 'tollgate_abcdefgh_correct-horse'
const ENCODED = Buffer.from(TEXT).toString('base64')
const SECRET = { metadata: { name: 'app' }, type: 'Opaque', data: { key: ENCODED } }

async function told(message: string, status: number, body: unknown = SECRET, resource: Resource = SECRETS) {
  const refusal = Promise.reject(new KubeError(message, { status, reason: 'Why', retryAfterMs: 7 }))
  const error: unknown = await unquoted(resource, body, refusal).catch((reason: unknown) => reason)
  t.match(error, { name: 'KubeError', status, reason: 'Why', retryAfterMs: 7 })
  return error instanceof Error ? error.message : ''
}

t.test('a message that says nothing of what was sent is told', async (t) => {
  t.equal(await told('exceeded quota: few', 403), 'exceeded quota: few')
  t.equal(
    await told('metadata.name: Invalid value: "app"', 422),
    'the API server refused a Secret (422 Why): metadata.name: Invalid value: "app"',
  )
})

t.test('what all keys begin with is no part of one: the account that lacks a right has it in its name', async (t) => {
  const lacking =
    'secrets "app" is forbidden: User "system:serviceaccount:tollgate-system:tollgate-operator" cannot update resource "secrets"'
  t.equal(await told(lacking, 403), lacking)
  t.equal(await told(`${lacking}: ${TEXT}`, 403), 'the API server refused a Secret (403 Why)')
})

t.test('a message that shows a part of it is withheld, in clear or in base64, whatever the status', async (t) => {
  for (const status of [400, 403, 422, 500]) {
    for (const quoted of [TEXT, ENCODED, TEXT.slice(5, 14), ENCODED.slice(10, 19)])
      t.equal(await told(`cannot read '...${quoted}...'`, status), `the API server refused a Secret (${status} Why)`)
  }
  t.equal(await told('bad: pin', 422, { stringData: { key: ['pin'] } }), 'the API server refused a Secret (422 Why)')
  t.equal(
    await told('token eyJhbGciOiJ is unknown', 400, { spec: { token: 'eyJhbGciOiJSUzI1NiJ9' } }, TOKEN_REVIEWS),
    'the API server refused a TokenReview (400 Why)',
  )
  t.equal(
    await told('cannot apply: correct-horse', 422, [{ op: 'replace', path: '/data/key', value: 'correct-horse' }]),
    'the API server refused a Secret (422 Why)',
  )
})

t.test('what is no secret is quoted as the server does', async (t) => {
  t.equal(await told(`bad: ${TEXT}`, 422, { data: { key: TEXT } }, CONFIG_MAPS), `bad: ${TEXT}`)
})
