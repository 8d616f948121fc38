/** Tables in texts may be as long as these: they are read a part at a time, and found whole. */
import t from 'tap'
import { scan, scanInSteps } from '../../../../../src/domain/guardrails/masking/scan.ts'
import { Rows } from '../../../../../src/domain/guardrails/masking/tables/table-rows.ts'

const SECRETS = Array.from({ length: 6_000 }, (_, index) => `qX9zw33kd${index}`)

const TABLES = {
  'lines of fields': `name,password,age\n${SECRETS.map((secret) => `bob,${secret},7\n`).join('')}`,
  'two columns that tell': `password;api_key\n${SECRETS.map((secret) => `${secret};k${secret}\n`).join('')}`,
  'a table in a string of JSON': `{"csv":"name,password\\n${SECRETS.map((secret) => `bob,${secret}\\n`).join('')}"}`,
  'what psql draws': ` name | password\n------+---------\n${SECRETS.map((secret) => ` bob | ${secret}\n`).join('')}(9 rows)\n`,
  'a dump of PostgreSQL': `COPY users (name, password) FROM stdin;\n${SECRETS.map((secret) => `bob\t${secret}\n`).join('')}\\.\n`,
  'rows that SQL inserts': `INSERT INTO users (name, password) VALUES ${SECRETS.map((secret) => `('bob', '${secret}')`).join(',\n')};`,
}

for (const [name, table] of Object.entries(TABLES)) {
  t.test(`${name}: every secret of a long table is found, by columns alone`, async (t) => {
    const { findings } = scan(table)
    const found = new Set(
      findings.filter(({ rule }) => rule === 'table-column').map(({ start, end }) => table.slice(start, end)),
    )
    t.strictSame(
      SECRETS.filter((secret) => !found.has(secret)),
      [],
    )
    const steps = [...scanInSteps(table)]
    t.ok(steps.length > 2)
  })
}

t.test('what is too much is told before the table has been read to its end', async (t) => {
  const table = `name,password\n${'bob,qX9zw33kd\n'.repeat(200_000)}`
  let steps = 0
  t.throws(
    () => {
      for (const _step of scanInSteps(table)) steps++
    },
    { code: 'request_too_large' },
  )
  t.ok(steps > 2, 'not all in one step')
  t.ok(steps < 40, 'and not all of it')
})

t.test('a row of SQL with more fields than names can be ends its table', async (t) => {
  const fields = `'bob',`.repeat(100_000)
  const { findings } = scan(`INSERT INTO users (name, password) VALUES (${fields}'x'), ('bob', 'qX9zw33kd1')`)
  t.notOk(findings.some(({ rule }) => rule === 'table-column'))
})

t.test('rows are read up to a limit, once, and no further than the table', async (t) => {
  const asked: number[] = []
  const rows = new Rows(10, (at) => {
    asked.push(at)
    return at === 50
      ? undefined
      : { field: at === 20 ? undefined : { start: at, end: at + 4 }, end: at + 9, next: at + 10 }
  })
  t.strictSame(rows.readTo(10), [])
  t.strictSame(rows.readTo(21), [{ start: 10, end: 14 }])
  t.strictSame([rows.end, rows.isOver], [30, false])
  t.strictSame(rows.readTo(25), [])
  t.strictSame(rows.readTo(1_000), [
    { start: 30, end: 34 },
    { start: 40, end: 44 },
  ])
  t.strictSame([rows.end, rows.isOver], [50, true])
  t.strictSame(rows.readTo(2_000), [])
  t.strictSame(asked, [10, 20, 30, 40, 50])
})
