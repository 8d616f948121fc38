/**
 * `src/manifests/validation/readable-kinds.ts` for the bundle: what it would read from crds/ and have ajv compile is in it as code.
 * A start of `standalone` takes a third less.
 */
import standaloneCode from 'ajv/dist/standalone/index.js'
import { _ } from 'ajv'
import type { Plugin } from 'esbuild'
import { dirname } from 'node:path'
import { READABLE_KIND_NAMES, readableKind } from '../src/manifests/validation/readable-kinds.ts'
import { structureAjv, toJsonSchema } from '../src/manifests/validation/structure.ts'

/** As a module beside those of src/manifests/validation, with the exports of the one it stands for. */
export function readyKinds(): string {
  const kinds = READABLE_KIND_NAMES.map((name) => ({ name, ...readableKind(name) }))
  const ajv = structureAjv({ code: { optimize: 1, source: true, esm: true, formats: _`STRUCTURE_FORMATS` } })
  for (const { name, schema } of kinds) ajv.addSchema(toJsonSchema(schema), name)
  const checks = standaloneCode.default(ajv, Object.fromEntries(kinds.map(({ name }) => [`check${name}`, name])))
  // Functions: a schema is made when its kind is asked for.
  const entries = kinds.map(
    ({ name, isNamespaced, schema }) =>
      `${name}: () => ({ isNamespaced: ${isNamespaced}, schema: ${JSON.stringify(schema)}, checkStructure: check${name} })`,
  )
  return `import { STRUCTURE_FORMATS } from './structure-formats.ts'
export const READABLE_KIND_NAMES = ${JSON.stringify(READABLE_KIND_NAMES)}
${checks}
const KINDS = { ${entries.join(',\n')} }
export function readableKind(name) { return KINDS[name]() }
`
}

export function readyKindsPlugin(): Plugin {
  return {
    name: 'ready-kinds',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]src[/\\]manifests[/\\]validation[/\\]readable-kinds\.ts$/ }, ({ path }) => ({
        loader: 'js',
        contents: readyKinds(),
        resolveDir: dirname(path),
      }))
    },
  }
}
