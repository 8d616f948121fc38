/** A kubeconfig with which a process has the rights of a service account. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { ControlPlane } from './control-plane.ts'

/** Path of the file; gone after the test. */
export async function accountKubeconfig(
  t: Test,
  plane: ControlPlane,
  namespace: string,
  account: string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-account-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return writeAccountKubeconfig(folder, plane, namespace, account)
}

/** The same in a folder of the caller's. */
export async function writeAccountKubeconfig(
  folder: string,
  plane: ControlPlane,
  namespace: string,
  account: string,
): Promise<string> {
  const token = (await plane.kubectl('create', 'token', account, '-n', namespace)).trim()
  const file = join(folder, 'kubeconfig')
  const authority = Buffer.from(plane.ca).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: plane.url, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}
