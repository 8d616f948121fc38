/** Golden files: what a test has seen once and a reader has approved. `UPDATE_GOLDEN=1` writes them anew. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** Names of the cases in a folder of test/fixtures, without `suffix`. */
export function casesOf(folder: string, suffix: string): string[] {
  return readdirSync(join(FIXTURES, folder))
    .filter((name) => name.endsWith(suffix) && !name.endsWith('.golden.json'))
    .map((name) => name.slice(0, -suffix.length))
    .toSorted()
}

/** The text of a fixture. */
export function fixture(path: string): string {
  return readFileSync(join(FIXTURES, path), 'utf8')
}

/** Compares `actual` with the golden file at `path`. */
export function matchGolden(test: Test, path: string, actual: unknown): void {
  const file = join(FIXTURES, path)
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, `${JSON.stringify(actual, null, 1)}\n`)
  if (!existsSync(file)) test.fail(`${path} is missing: run with UPDATE_GOLDEN=1 and read what it writes`)
  else test.strictSame(JSON.parse(JSON.stringify(actual)), JSON.parse(readFileSync(file, 'utf8')), path)
}
