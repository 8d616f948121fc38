import t from 'tap'
import { noKeyIn, placeholderIn } from '../../../src/manifests/remarks/placeholders.ts'

t.test('a variable as others write it is told of, with the form that counts here', async (t) => {
  const written = [
    '$OPENAI_API_KEY',
    '$(OPENAI_API_KEY)',
    '%OPENAI_API_KEY%',
    '${OPENAI_API_KEY',
    '${ OPENAI_API_KEY }',
    '${OPENAI_API_KEY }',
    '${env:OPENAI_API_KEY}',
    '{{ OPENAI_API_KEY }}',
    '{{ .Values.OPENAI_API_KEY }}',
    '${{ secrets.OPENAI_API_KEY }}',
    'Bearer $OPENAI_API_KEY',
  ]
  for (const text of written) {
    t.equal(placeholderIn(`${text}\n`), `a variable is written \${OPENAI_API_KEY} here, not ${text}`)
  }
  t.match(placeholderIn('$openai_api_key'), /^a variable is written \$\{openai_api_key\} here/)
  for (const text of ['${KEY:-x}', '${KEY-x}', '${KEY:?is missing}', 'Bearer ${KEY:-}'])
    t.equal(placeholderIn(text), 'a variable has no default here, it is written ${KEY}', text)
})

t.test(
  'a name of a shell in any letters is told of as what it is taken for, without its text, and with the cure',
  async (t) => {
    const why =
      'it is taken for a variable of a shell, which is written ${NAME} here; a key that is such a text is written under data'
    for (const text of [
      '$NAME',
      '$name',
      '$KEY1',
      '$ABCDEFGH',
      '$apiKey',
      '$apiKey2',
      '$ecret',
      '$hunter_22',
      '$s3_secret_1',
      '$OAUTH2TOKEN',
      '$_',
      'Bearer $NAME',
    ]) {
      t.equal(placeholderIn(text), why, text)
      t.equal(
        noKeyIn(text),
        'what is taken for a variable of a shell; a key that is such a text is written under data',
        text,
      )
    }
    t.equal(noKeyIn('$OPENAI_API_KEY'), 'a placeholder, not a key')
  },
)

t.test('what stands for a key in documents and consoles is told of', async (t) => {
  t.match(placeholderIn('{{ lookup "openai" }}'), /^it is a template/)
  for (const text of ['<your-key>', '<OPENAI API KEY>', 'sk-...', 'sk-\u2026', 'sk-proj-...4f2a', 'sk-****4f2a', '...'])
    t.equal(placeholderIn(text), 'it is a placeholder, not a key', text)
  for (const text of ['"sk-proj-abc"', "'sk-proj-abc'", '"${OPENAI_API_KEY}"'])
    t.equal(placeholderIn(text), 'it is in quotes, which would be part of it', text)
})

t.test('a key is not, nor a variable as it is written here', async (t) => {
  const keys = [
    'sk-proj-abcDEF_123-xyz',
    'AIzaSyA-1234_abcd',
    '${OPENAI_API_KEY}',
    'Bearer ${OPENAI_API_KEY}',
    'prefix-${A}-${B}',
    '$${NOT_A_VARIABLE}',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$1_key',
    '$7x_secret',
    '$Ab3_x9Q',
    '$9f86d081884c7d659a2feaa0c55ad015',
    '$e3b0c44298fc1c149afbf4c8996fb924',
    '$qT7vXw2KpLm9RzB4nYcD8sHf',
    '$QT7VXW2KPLM9RZB4NYCD8SHF',
    '$hunter-22',
    '$hunter22!',
    '$$NAME',
    '$A$B',
    '$',
    'pa${word',
    'a{{b}}c',
    'p%40ss%',
    '<aB3$>x<',
    'ab...cdefghijklmnop',
    'gsk_x*y*z',
    '"',
    "it's",
    'eyJhbGciOi.eyJzdWIi.c2ln',
    'local',
    'yourkey',
    'your-keyabc123',
    'your-api-key',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    '',
  ]
  for (const text of keys) t.equal(placeholderIn(text), undefined, text)
  for (const text of keys.filter((key) => key.startsWith('$') && !key.includes('{')))
    t.equal(noKeyIn(text), undefined, text)
})
