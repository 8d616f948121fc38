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
