/** Certificates for tests, made by openssl. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Authority {
  /** PEM. */
  readonly ca: string
  /** A server certificate, for localhost, 127.0.0.1 and ::1 unless another name is given. */
  issue(name?: string): { readonly certificate: string; readonly privateKey: string }
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

export function createAuthority(): Authority {
  const { 'ca.crt': ca = '', 'ca.key': caKey = '' } = openssl({}, [
    ['req', '-x509', ...EC, '-days', '2', '-subj', '/CN=test ca', '-keyout', 'ca.key', '-out', 'ca.crt'],
  ])
  return {
    ca,
    issue(name) {
      const names = name === undefined ? 'DNS:localhost,IP:127.0.0.1,IP:::1' : `DNS:${name}`
      const files = { 'ca.crt': ca, 'ca.key': caKey, 'san.cnf': `subjectAltName=${names}\n` }
      const made = openssl(files, [
        ['req', ...EC, '-subj', `/CN=${name ?? 'localhost'}`, '-keyout', 'server.key', '-out', 'server.csr'],
        (
          'x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial ' +
          '-days 2 -extfile san.cnf -out server.crt'
        ).split(' '),
      ])
      return { certificate: made['server.crt'] ?? '', privateKey: made['server.key'] ?? '' }
    },
  }
}

/** Runs openssl in a folder of its own; returns the certificates and keys that are there afterwards. */
function openssl(files: Record<string, string>, commands: readonly (readonly string[])[]): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-tls-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    for (const command of commands) execFileSync('openssl', command, { cwd: directory, stdio: 'ignore' })
    const read = (name: string) => [name, readFileSync(join(directory, name), 'utf8')] as const
    const wanted = 'ca.crt' in files ? ['server.crt', 'server.key'] : ['ca.crt', 'ca.key']
    return Object.fromEntries(wanted.map(read))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
