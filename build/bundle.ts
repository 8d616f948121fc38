/**
 * Makes `dist/tollgate.mjs`, what the container image runs: the same program in a few files, without types. It starts
 * in half the time of the sources and holds some thirty megabytes less, because Node loads no type stripper and no
 * module that nothing uses. Files that are read at run time (Lua, weights) stay where they are: an image holds `dist`,
 * `package.json` and what is no TypeScript of `src`. The CRDs' schemas are in it, compiled.
 *
 *     bundle.ts [FOLDER]     into another folder than `dist`, as if it were `dist`: for an image that is put together elsewhere
 */
import { readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { leanModules } from './lean-modules.ts'
import { readyKindsPlugin } from './ready-kinds.ts'

const ROOT = join(import.meta.dirname, '..')
/** Where the bundle runs from: the sources' other files are found from there. */
const PLACE = join(ROOT, 'dist')
const OUTPUT = resolve(process.argv[2] ?? PLACE)

/** Libraries in CommonJS ask for Node's modules by `require`. */
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`

rmSync(OUTPUT, { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: { tollgate: 'src/main.ts' },
  outdir: OUTPUT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // A subcommand is loaded only when it is asked for, as in the sources.
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  mainFields: ['module', 'main'],
  // Names stay as they are: they stand in logs and in profiles.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  banner: { js: REQUIRE },
  plugins: [leanModules(), readyKindsPlugin(), sourceLocations()],
  logLevel: 'warning',
})

/** `import.meta.url` of a source stays the place of that source: files beside it are found there. */
function sourceLocations(): Plugin {
  return {
    name: 'source-locations',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
        // Parts lie one folder deeper than the entry, which is loaded under its own name only.
        const depth = path === join(ROOT, 'src/main.ts') ? PLACE : join(PLACE, 'parts')
        const place = `new URL(${JSON.stringify(relative(depth, path))}, import.meta.url).href`
        return { loader: 'ts', contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place) }
      })
    },
  }
}
