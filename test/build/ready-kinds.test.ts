import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import fc from 'fast-check'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { readyKinds } from '../../build/ready-kinds.ts'
import { applyDefaults, isRecord } from '../../src/manifests/validation/defaults.ts'
import * as compiled from '../../src/manifests/validation/readable-kinds.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLES = join(ROOT, 'test/fixtures/manifests/valid')

const ready = await bundled(readyKinds())
const kinds = compiled.READABLE_KIND_NAMES.map((name) => ({
  name,
  fromSources: compiled.readableKind(name),
  fromBundle: ready.readableKind(name),
}))

t.strictSame(ready.READABLE_KIND_NAMES, compiled.READABLE_KIND_NAMES)

for (const { name, fromSources, fromBundle } of kinds) {
  t.test(`${name}: the bundle has the schema of the sources and finds the same faults`, async (t) => {
    t.strictSame(fromBundle.schema, fromSources.schema)
    t.equal(fromBundle.isNamespaced, fromSources.isNamespaced)
    const good = examplesOf(name)
    t.not(good.length, 0)
    const faults = (kind: compiled.ReadableKind, document: unknown) => {
      const isGood = kind.checkStructure(document)
      return { isGood, errors: kind.checkStructure.errors ?? null }
    }
    for (const document of good) t.strictSame(faults(fromBundle, document), { isGood: true, errors: null })
    let refused = 0
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.array(fc.nat(), { maxLength: 8 }), junk(), (document, way, value) => {
        const broken = replaced(document, way, value)
        const expected = faults(fromSources, broken)
        if (!expected.isGood) refused++
        return isDeepStrictEqual(faults(fromBundle, broken), expected)
      }),
      { numRuns: 2_000 },
    )
    t.ok(refused > 500, `${refused} of 2000 were refused`)
  })
}

/** Imports generated code as the bundle would hold it. */
async function bundled(contents: string): Promise<typeof compiled> {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.ready-kinds-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, 'ready-kinds.mjs')
  const stdin = { contents, resolveDir: join(ROOT, 'src/manifests/validation'), loader: 'js' } as const
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', minifySyntax: true })
  return import(outfile)
}

/** Of the manifests that are good, with defaults and without status. */
function examplesOf(kind: compiled.ReadableKindName): unknown[] {
  const { schema } = compiled.readableKind(kind)
  return readdirSync(EXAMPLES)
    .flatMap((file) => parseAllDocuments(readFileSync(join(EXAMPLES, file), 'utf8')))
    .map((document): unknown => document.toJS())
    .filter((document) => isRecord(document) && document['kind'] === kind && document['status'] === undefined)
    .map((document) => applyDefaults(schema, document))
}

/** What people and machines write where something else belongs. */
function junk(): fc.Arbitrary<unknown> {
  const texts = ['', 'no', '1h', '12.5', '-1', '2026-02-30T00:00:00Z', 'Total', 'a'.repeat(300), 'ü', '***', 'AAAA']
  const numbers = [0, -1, 1.5, 1e12, 2 ** 31, 2 ** 60]
  return fc.oneof(
    fc.constantFrom<unknown>(...texts, ...numbers, null, true, [], {}, [1, 1], { constructor: 1 }),
    fc.anything({ maxDepth: 2 }),
  )
}

/** A copy in which the value at the end of the way is another; each number of the way chooses a field. */
function replaced(value: unknown, way: readonly number[], by: unknown): unknown {
  const [first, ...rest] = way
  if (first === undefined) return by
  if (Array.isArray(value)) {
    const at = first % (value.length + 1)
    return value.toSpliced(at, 1, replaced(value[at], rest, by))
  }
  if (!isRecord(value)) return by
  const names = [...Object.keys(value), 'surprise']
  const name = names[first % names.length] ?? 'surprise'
  return { ...value, [name]: replaced(value[name], rest, by) }
}
