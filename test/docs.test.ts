/** What the documents cannot mean. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

t.test('a table of what goes from one format to another says one thing of each', (t) => {
  const formats = readFileSync(join(import.meta.dirname, '..', 'docs', 'formats.md'), 'utf8')
  const tables = formats.split('\n\n').filter((paragraph) => paragraph.startsWith('|'))
  t.ok(tables.length > 2)
  for (const table of tables) {
    const things = table.split('\n').map((row) => row.split('|')[1])
    t.strictSame(things, [...new Set(things)])
  }
  t.end()
})

t.test('the examples name no model that the SDK of its vendor knows the end of', (t) => {
  const root = join(import.meta.dirname, '..')
  const sdk = readFileSync(join(root, 'node_modules/@anthropic-ai/sdk/resources/messages/messages.js'), 'utf8')
  const ending: readonly string[] = /DEPRECATED_MODELS = \{([^}]*)\}/.exec(sdk)?.[1]?.match(/claude[^']*/g) ?? []
  t.ok(ending.length > 0)
  const examples = readFileSync(join(root, 'examples/standalone/providers.yaml'), 'utf8')
  const named = examples.match(/(?<=name: )claude\S*/g) ?? []
  t.ok(named.length > 0)
  t.strictSame(
    named.filter((name) => ending.includes(name)),
    [],
  )
  t.end()
})
