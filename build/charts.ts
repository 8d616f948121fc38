/**
 * What of charts/ and docs/helm.md is made from something else: the CRDs of the subchart, the dashboards, the table of
 * values.
 *
 *     charts.ts [--check]     writes them; with --check it writes nothing, names what differs and ends with 1
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderDashboards } from './chart/dashboards.ts'
import { insertValuesTable } from './chart/values-table.ts'

const ROOT = join(import.meta.dirname, '..')
const CHART = 'charts/tollgate'

const isCheck = process.argv.includes('--check')
const stale = Object.entries(wanted()).filter(([path, text]) => readOr(path) !== text)
for (const [path, text] of stale) {
  if (!isCheck) write(path, text)
  process.stdout.write(`${isCheck ? 'stale, run make charts' : 'written'}: ${path}\n`)
}
process.exitCode = isCheck && stale.length > 0 ? 1 : 0

/** Files by path. */
function wanted(): Readonly<Record<string, string>> {
  const crds = readdirSync(join(ROOT, 'crds')).map((name) => [
    `${CHART}/charts/tollgate-crds/templates/${name}`,
    read(`crds/${name}`),
  ])
  const dashboards = Object.entries(renderDashboards()).map(([name, text]) => [
    `${CHART}/files/dashboards/${name}`,
    text,
  ])
  const docs = [['docs/helm.md', insertValuesTable(read('docs/helm.md'), read(`${CHART}/values.yaml`))]]
  return Object.fromEntries([...crds, ...dashboards, ...docs])
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function readOr(path: string): string | undefined {
  try {
    return read(path)
  } catch {
    return undefined
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), text)
}
