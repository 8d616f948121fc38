/** The README's commands, so that what is written there is what is tried. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './kubectl.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SECTION = '## Quick start on Kubernetes'
const CHART = 'charts/tollgate'

/** The blocks of shell of the section, in order. */
export function commandBlocks(): readonly string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const section = readme.split(`${SECTION}\n`)[1]?.split('\n## ')[0]
  if (section === undefined) throw new Error(`the README has no section ${SECTION}`)
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? '')
}

/**
 * Runs a block as it stands, in the project's folder; only the images' names are this cluster's.
 * @throws {Error} where a command fails, with what it said.
 */
export async function runBlock(block: string): Promise<string> {
  const script = block
    .replaceAll('registry.example', 'docker.io')
    .replaceAll('platform/tollgate', 'local/tollgate')
    .replaceAll(CHART, `${CHART} --values test/e2e/values.yaml`)
  const { code, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', `cd '${ROOT}'\n${script}`])
  if (code !== 0) throw new Error(`${script}\nexit ${code}: ${stderr}\n${stdout}`)
  return stdout
}
