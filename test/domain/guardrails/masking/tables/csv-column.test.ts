import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test('columns of secrets are read in tables that blanks align', async (t) => {
  for (const [text, ...secrets] of [
    ['user   password\nbob    hunter2x\namy    s3cretpw\n', 'hunter2x', 's3cretpw'],
    [
      'USER      PASSWORD      ROLE\nbob       hunter2x      admin\namy       4711123       user\n',
      'hunter2x',
      '4711123',
    ],
    ['> PASSWORD    USER NAME\n> --------    ---------\n> hunter2x    bob\n', 'hunter2x'],
    ['NAME       API TOKEN          AGE\r\nbob        8f3kd9Wk2lQ0zXv7   5d\r\n', '8f3kd9Wk2lQ0zXv7'],
  ] as const) {
    t.strictSame(found(text), secrets, text)
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), secrets, escaped)
  }
})

t.test('lists of settings and of options that blanks align are none', async (t) => {
  for (const text of [
    'type       password\nport       5432\ncharset    utf8mb4\n',
    'username    The user name\npassword    The password, of 8 characters\nport        5432\n',
    'NAME      TOKEN\ndefault   text\nother     words here\n',
    'name   the password\nutf8   b2\n',
  ])
    t.strictSame(found(text), [], text)
})

t.test('columns of secrets are read in tables with lines of Unicode', async (t) => {
  const text =
    '┌──────┬──────────┐\n│ user │ password │\n├──────┼──────────┤\n│ bob  │ hunter2x │\n│ amy  │ hunter3x │\n└──────┴──────────┘\n'
  t.strictSame(found(text), ['hunter2x', 'hunter3x'])
})

t.test('a field in quotes may hold separators, quotes and line ends', async (t) => {
  for (const text of [
    'id,name,password\n1,"Souza, Anna",hunter2x\n2,Kim,"hunter3x"\n',
    'id;name;passwort\n1;"Souza; ""Ann"" A.";hunter2x\n2;Kim;hunter3x\n',
    '"id","name","password"\r\n"1","Souza, Anna","hunter2x"\r\n"2","Kim","hunter3x"\r\n',
    'name,notes,login_uri,login_password\nGit,"one,\ntwo, and\n\nmore",https://x.io,hunter2x\nLab,,https://y.io,hunter3x\n',
    'id,name,password\n1,Pipe of 5",hunter2x\n2,"never closed,hunter3x\n',
  ]) {
    t.strictSame(found(text), ['hunter2x', 'hunter3x'], text)
    // Names in quotes are no header within others.
    if (text.startsWith('"')) continue
    const escaped = JSON.stringify({ text, other: 'a,b,hunter4x\n' })
    t.strictSame(found(escaped), ['hunter2x', 'hunter3x'], escaped)
  }
})

t.test('a row of another number of fields is none, and the next is one again', async (t) => {
  for (const row of ['', 'Smith, Ann,a@b.com,x', '# left'])
    t.strictSame(
      found(`name,mail,password\nBob,,hunter2x\n${row}\nKim,,hunter3x\n`).filter((text) => !text.includes('@')),
      ['hunter2x', 'hunter3x'],
      row,
    )
  t.strictSame(found('name,mail,password\nBob,,hunter2x\n\n\nKim,,hunter3x\n'), ['hunter2x'])
})

t.test('rows of aligned names are read in linear time', async (t) => {
  for (const piece of [
    'user  password  ',
    'user  password\n',
    'user  password\na  b2\n',
    'password  ',
    'a b  password  ',
    'a,password\n"\n',
    'a,password\n",\n',
    'a,password",',
  ])
    t.ok(found(piece.repeat(20_000)))
})
