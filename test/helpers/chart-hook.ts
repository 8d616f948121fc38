/** The chart's hooks as they run in a cluster: their own rights, their own arguments, tollgate as a process of the test. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { asArray, asObject, asString } from '../../src/domain/json.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { accountKubeconfig } from './account-kubeconfig.ts'
import type { CommandResult, ControlPlane } from './control-plane.ts'
import { at, nameIn, RELEASE_NAMESPACE, template } from './helm.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')
const RIGHTS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']

export interface ChartHook {
  /** Of its container. */
  readonly args: readonly string[]
  /** Runs tollgate with the hook's rights: its arguments, or others. */
  run(args?: readonly string[]): Promise<CommandResult>
}

/** The hook `tollgate-<name>` of a release `tollgate`. */
export async function chartHook(
  t: Test,
  plane: ControlPlane,
  name: string,
  values: JsonObject = {},
): Promise<ChartHook> {
  const full = `tollgate-${name}`
  const objects = (await template(values)).filter((object) => nameIn(object) === full)
  const rights = objects.filter(({ kind }) => RIGHTS.includes(asString(kind) ?? ''))
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: rights })
  const { code, stderr } = await plane.tryKubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], list)
  if (code !== 0) throw new Error(stderr)
  const job = objects.find(({ kind }) => kind === 'Job' || kind === 'Pod')
  const pod = job?.['kind'] === 'Pod' ? job['spec'] : at(job, 'spec', 'template', 'spec')
  const args = asArray(at(asObject(pod), 'containers', 0, 'args')).map((one) => asString(one) ?? '')
  const kubeconfig = await accountKubeconfig(t, plane, RELEASE_NAMESPACE, full)
  return { args, run: (given = args) => runTollgate(given, kubeconfig) }
}

function runTollgate(args: readonly string[], kubeconfig: string): Promise<CommandResult> {
  const env = { ...process.env, KUBECONFIG: kubeconfig }
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })
}
