/** What every scenario needs beside the installation: vendors, an organization, namespaces with keys. Applied once. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { apply, eventually, get, kubectl, rolledOut } from './kubectl.ts'

const MANIFESTS = join(import.meta.dirname, '../manifests')
/** Namespaces with keys that the chart's values do not name: their owners let the operator in. */
const TENANTS = ['apps', 'load']

export const SYSTEM = 'tollgate-system'
export const RELEASE = 'tollgate'

/** Applies it; what is there already stays as it is. Resolves when all keys are ready; `poor` may be spent by an earlier scenario. */
export async function platform(): Promise<void> {
  await apply(await manifest('vendors.yaml'))
  await apply(await manifest('platform.yaml'))
  await apply(await manifest('namespaces.yaml'))
  for (const namespace of TENANTS) await letOperatorIn(namespace)
  await rolledOut('vendors', 'deployment/vendor')
  await rolledOut('vendors', 'deployment/loader')
  for (const name of ['whole', 'masked', 'brief']) await readyKey('apps', name)
  await readyKey('apps', 'poor', 60, 'KeyBudgetExceeded')
  await readyKey('load', 'load')
}

/** The RoleBinding that the operator's message asks for. */
export async function letOperatorIn(namespace: string): Promise<void> {
  const binding = ['create', 'rolebinding', 'tollgate-secrets', '--clusterrole=tollgate-namespace']
  const account = `--serviceaccount=${SYSTEM}:${RELEASE}-operator`
  await apply(await kubectl(['-n', namespace, ...binding, account, '--dry-run=client', '-o', 'yaml']))
}

/** @param otherwise a reason for which it may be not ready */
export async function readyKey(namespace: string, name: string, seconds = 60, otherwise?: string): Promise<void> {
  await eventually(
    `VirtualKey ${namespace}/${name} ready`,
    async () => {
      const key = await get('virtualkey', name, namespace)
      const ready = key?.list('status', 'conditions').find((condition) => condition.text('type') === 'Ready')
      const reason = ready?.text('reason')
      if (ready?.text('status') !== 'True' && (reason === undefined || reason !== otherwise))
        throw new Error(`${reason} ${ready?.text('message')}`)
      return key
    },
    seconds,
  )
}

function manifest(name: string): Promise<string> {
  return readFile(join(MANIFESTS, name), 'utf8')
}
