import fc from 'fast-check'
import t from 'tap'
import { loadTexts } from '../../../src/manifests/load.ts'

/** Five lines before, and a second document behind. */
const HEAD = 'apiVersion: tollgate.dev/v1alpha1\nkind: Provider\nmetadata:\n  name: a\nspec:\n'
const TAIL = '---\napiVersion: tollgate.dev/v1alpha1\nkind: VirtualKey\nmetadata:\n  name: b\nspec: {}\n'
const JSON_HEAD = '{\n  "apiVersion": "v1",\n  "kind": "Namespace",\n'

/** What the lines behind HEAD are told as: line and words, one a fault. */
const FAULTS: readonly (readonly [string, ...string[]])[] = [
  ['  countries: ["us]\n  type: OpenAI\n', '6: the " that is opened here is not closed'],
  ['  type: "OpenAI\n  countries: [us]\n', '6: the " that is opened here is not closed'],
  ['  displayName: "a\n  type: "OpenAI"\n', '6: the " that is opened here is not closed'],
  ["  displayName: 'it's'\n", "6: text stands behind the ' that closes a text: write '' for one inside"],
  ['  countries: [us\n  type: OpenAI\n', '6: the [ that is opened here is not closed'],
  ['  endpoint: {a: [1]\n  type: OpenAI\n', '6: the { that is opened here is not closed'],
  ['  countries: [us]]\n  type: OpenAI\n', '6: a ] too many'],
  [
    '  type: OpenAI\n   countries: [us]\n  priority: 1\n',
    '7: this line is indented more than line 6, which has a value already: indent it like that line (text that goes on here must be in quotes)',
  ],
  [
    '  credentials:\n    type: Bearer\n\n      secretRef:\n        name: x\n',
    '9: this line is indented more than line 7, which has a value already: indent it like that line (text that goes on here must be in quotes)',
  ],
  [
    '  models:\n    - name: a\n        quality: 1\n',
    '8: this line is indented more than line 7, which has a value already: indent it like that line (text that goes on here must be in quotes)',
  ],
  ['  models:\n    - name: a\n   quality: 1\n', '8: this line is indented by 3 blanks, the fields above it by 6 or 2'],
  [
    '  type: OpenAI\n\n # note\n countries: [us]\n  priority: 1\n',
    '9: this line is indented by 1 blank, the fields above it by 2 or 0',
  ],
  [
    '  endpoint: { baseURL: a }\n countries: [us]\n  priority: 1\n',
    '7: this line is indented by 1 blank, the fields above it by 2 or 0',
  ],
  [
    '  displayName: a: b\n  type: OpenAI\n',
    '6: a value holds a colon and a blank: put it in quotes, or the second field on a line of its own',
  ],
  ['  countries [us]\n  type: OpenAI\n', '6: a colon is missing behind "countries"'],
  ['  type: OpenAI\n  countries [us]\n', '7: a colon is missing behind "countries"'],
  ['  endpoint { baseURL: a, b: c }\n  type: OpenAI\n', '6: a colon is missing behind "endpoint"'],
  ['  type: OpenAI\n  endpoint { baseURL: "a" }\n  priority: 1\n', '7: a colon is missing behind "endpoint"'],
  [
    '  models:\n    - name: a\n      pricing { input: "3", output: "4" }\n      b: c\n',
    '8: a colon is missing behind "pricing"',
  ],
  ['  credentials\n    type: Bearer\n', '6: a colon is missing behind "credentials"'],
  ['  priority:1\n  type: OpenAI\n', '6: a blank is missing behind the colon of "priority"'],
  ['  countries:\n    - us\n    -de\n', '8: a blank is missing behind the dash'],
  [
    '  countries:\n    - us\n   - de\n',
    '8: a list item stands among fields: indent it as the items of its list, or add the name of its field above it',
  ],
  ['  priority: 1\n  type: OpenAI\n  priority: 2\n', '8: "priority" is given twice, first on line 6'],
  [
    "  priority: 1\n  priority: 2\n  endpoint: { a: 'it's: b', c: d }\n",
    '7: "priority" is given twice, first on line 6',
    "8: text stands behind the ' that closes a text: write '' for one inside",
  ],
  [
    '  type: OpenAI\napiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n',
    '7: "apiVersion" is given twice, first on line 1: is a line with --- missing above this one?',
  ],
  [
    '  type: OpenAI\nkind: Secret\napiVersion: v1\nmetadata:\n  name: s\n',
    '7: "kind" is given twice, first on line 2: is a line with --- missing above this one?',
  ],
  ['  type: OpenAI\n\tpriority: 1\n', '7: Tabs are not allowed as indentation'],
  ['  credentials:\n\t\ttype: Bearer\n  priority: 1\n', '7: Tabs are not allowed as indentation'],
  [
    '  countries: ["*", *.com]\n',
    '6: text that begins with * must be in quotes (as an alias, it names nothing above it)',
  ],
  ['  displayName: @a\n', '6: Plain value cannot start with reserved character @: put the text in quotes'],
  ['  displayName: "\\d"\n', '6: Invalid escape sequence \\d: in double quotes, write \\\\ for a backslash'],
  ['<<<<<<< ours\n  type: OpenAI\n=======\n  type: Azure\n>>>>>>> theirs\n', ...[6, 8, 10].map(leftFromMerge)],
  [
    '  priority: 1\n  priority: 2\n  a b\n',
    '7: "priority" is given twice, first on line 6',
    '8: a colon is missing behind "a"',
  ],
  ['  displayName: !Ref x\n', '6: this tag is not known: put text that begins with ! in quotes'],
]

function leftFromMerge(line: number): string {
  return `${line}: this line is left from a merge`
}

function told(text: string): string[] {
  const result = loadTexts({ f: text }, {})
  return result.type === 'loaded' ? [] : result.problems.map(({ line, message }) => `${line}: ${message}`)
}

t.test('a fault is told once, with the line where a person must look', async (t) => {
  for (const [lines, ...expected] of FAULTS) t.same(told(`${HEAD}${lines}${TAIL}`), expected, lines)
})

t.test('so it is in a file with CRLF, with a byte-order mark, and in its last document', async (t) => {
  for (const [lines, ...expected] of FAULTS) {
    t.same(told(`${HEAD}${lines}${TAIL}`.replaceAll('\n', '\r\n')), expected, lines)
    t.same(told(`\uFEFF${HEAD}${lines}${TAIL}`), expected, lines)
    t.same(told(`${HEAD}${lines}`), expected, lines)
    t.same(told(`# a comment\n---\n${HEAD}${lines.trimEnd()}`), expected.map(twoLinesFurther), lines)
  }
})

function twoLinesFurther(text: string): string {
  return text.replaceAll(/^\d+|(?<=line )\d+/g, (line) => String(Number(line) + 2))
}

t.test('the first lines of a document are told as all others', async (t) => {
  t.match(told('apiVersion: v1\n kind: Secret\nmetadata: {}\n'), [/^2: this line is indented more than line 1/])
  t.same(told(' apiVersion: v1\nkind: Secret\nmetadata: {}\n'), ['2: this line is indented less than line 1'])
})

t.test('no fault shows what may be a value of a Secret', async (t) => {
  const head = 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData:\n'
  const values = [
    'sesame',
    '  sesame\n  a: b',
    '  a: b\n  sesame',
    '  sesame:sesame',
    '  a: *sesame',
    '  a: [b] sesame',
    ']\nsesame',
  ]
  for (const value of [
    ...values,
    '  a: @sesame',
    "  a: 'b'sesame",
    '  a: sesame: sesame',
    '  a: |sesame',
    '  a: !sesame',
    '  a: !!sesame b',
    '  a: -sesame: b',
    '  a: |\n  sesame: 1\n  sesame: 2',
    '  a: "\\Usesame12"',
    '  a: |\n    b\n...\n%sesame',
  ]) {
    t.not(told(`${head}${value}\n`).length, 0, value)
    t.notMatch(told(`${head}${value}\n`).join(), /sesame/, value)
  }
})

t.test('a document whose kind is misspelt or lost is taken for a Secret by its entries', async (t) => {
  for (const kind of ['kind: Sceret\n', 'kind: secret\n', ''])
    for (const entries of ['stringData:\n  sesame\n  a: b\n', 'data:\n  a: |\n  sesame: 1\n  sesame: 2\n']) {
      const text = `apiVersion: v1\n${kind}metadata: { name: s }\n${entries}`
      t.not(told(text).length, 0, text)
      t.notMatch(told(text).join(), /sesame/, text)
    }
})

t.test('a Secret whose fields are indented less than its first lines is one as well', async (t) => {
  for (const kind of ['kind: Secret\n', 'kind: secret\n', 'stringData:\n'])
    t.same(told(`  sesame\n  a: b\napiVersion: v1\n${kind}`), [
      "1: a colon is missing behind the field's name",
      '3: this line is indented less than line 1',
    ])
})

t.test('a document that only names a Secret, or data, shows the names of its fields', async (t) => {
  for (const line of [
    '  secretRef: { name: openai-secret, key: secret }',
    '  namespace: data-team',
    '  # data, secret',
  ])
    t.same(told(`${HEAD}${line}\n  priority: 1\n  priority: 2\n`), ['8: "priority" is given twice, first on line 7'])
  const next = '---\napiVersion: v1\nkind: Secret\n'
  t.same(told(`${HEAD}  priority: 1\n  priority: 2\n${next}`).slice(0, 1), [
    '7: "priority" is given twice, first on line 6',
  ])
})

t.test('faults of JSON have their lines, too', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['  "metadata": {"name": "a"}\n', '1: the { that is opened here is not closed'],
    ['  "metadata": {"name": "a"\n}\n', '1: the { that is opened here is not closed'],
    ['  "metadata": {"name": "a"}\n  "spec": {}\n}\n', '5: Missing , between flow map items'],
    [
      '  "metadata": {"name": "a},\n  "spec": {}\n}\n',
      '4: the " that is opened here is closed on line 5 only: is a " missing?',
    ],
    ['  "metadata" {"name": "a"}\n}\n', '4: Missing , or : between flow map items'],
    ['  "metadata": {},\n  "metadata": {}\n}\n', '5: "metadata" is given twice, first on line 4'],
  ]
  for (const [lines, expected] of cases) t.same(told(`${JSON_HEAD}${lines}`), [expected], lines)
})

t.test('the line of a fault is one of the file', async () => {
  const words = ['a: ', 'b', ': ', '- ', '? ', '|', '&x ', '*x', '!t ', '#', '\\', '@', '%', '\uFEFF', '\t']
  const marks = ['"', "'", '[', ']', '{', '}', ',', '\n', '\n\n', '\n  ', '\n   ', '\n- ', '\n---\n', '\r\n']
  const pieces = fc.constantFrom(...words, ...marks)
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      const last = Math.max(1, text.replace(/\n$/, '').split('\n').length)
      const result = loadTexts({ f: text }, {})
      return result.type === 'loaded' || result.problems.every(({ line }) => line >= 1 && line <= last)
    }),
    { numRuns: 3_000 },
  )
})
