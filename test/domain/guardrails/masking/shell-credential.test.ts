import t from 'tap'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

const MASKED: readonly (readonly [command: string, password: string])[] = [
  ['curl -u bob:swordfish https://x.example', 'swordfish'],
  ['curl -u admin:admin https://x.example', 'admin'],
  ['curl --user "bob:pa ss w0rd" https://x.example', 'pa ss w0rd'],
  [`curl -u 'bob:pa"ss!9' https://x.example`, 'pa"ss!9'],
  ['curl -u bob:"pw 12" https://x.example', 'pw 12'],
  ['curl -u bob:$ecret9! https://x.example', '$ecret9!'],
  ['smbclient -U "SALES\\bob%pw12 3" //x', 'pw12 3'],
  ['sshpass -p "a b c9" ssh bob@x', 'a b c9'],
  ['sshpass -p swordfish ssh -p 2222 bob@x', 'swordfish'],
  ['redis-cli -h x -p 6379 -a swordfish ping', 'swordfish'],
  ['docker login -u bob -p hunter2x x.example', 'hunter2x'],
  ['mysql -u root -pletmein shop', 'letmein'],
  ['mysql -u root -p"a b 9" shop', 'a b 9'],
  ['htpasswd -b .htpasswd bob swordfish', 'swordfish'],
  ['htpasswd -b .htpasswd bob "pw with 9"', 'pw with 9'],
]

for (const [command, password] of MASKED) {
  t.test(`the password of ${command} is masked as a whole`, async (t) => {
    t.strictSame(found(command), [password])
    const escaped = JSON.stringify({ command })
    t.strictSame(found(escaped), [JSON.stringify(password).slice(1, -1)], escaped)
  })
}

t.test('what an argument holds in quotes ends no command', async (t) => {
  for (const command of [
    `mysql -u root -e "select a || b" -phunter2x shop`,
    `mysql -e 'x && y && z' -phunter2x shop`,
    `cd x && curl -H "a && b" -u bob:hunter2x https://x.example`,
    `sh -c "cd x && mysql -u root -phunter2x shop"`,
  ])
    t.strictSame(found(command), ['hunter2x'], command)
  t.strictSame(found('docker login x && mkdir -p hunter2x'), [])
})

t.test('a command over several lines is one, whatever ends them', async (t) => {
  for (const lineBreak of ['\n', '\r\n'])
    t.strictSame(found(`curl -s \\${lineBreak}  -u bob:hunter2x \\${lineBreak}  https://x.example`), ['hunter2x'])
})

t.test('examples, variables, ports, paths and other options stay', async (t) => {
  for (const command of [
    'curl -u user:password https://x.example',
    'curl -u "$USER:$PASS" https://x.example',
    'curl -u ${USER}:${PASS} https://x.example',
    'curl -u bob: https://x.example',
    'curl -A "Mozilla/5.0 (X11; u:1)" https://x.example',
    'mysqldump -u root -p"$PW" shop',
    'mysql -u root -port 3306',
    'mysql -u root --protocol=tcp -p shop',
    'docker run -p "8080:80" -a stdin -w "/app dir" x',
    'docker run -p 127.0.0.1:80:80 -a always x',
    'docker compose -p myproject2 up; docker run -w app2 x',
    'zip -r a.zip x && mkdir -p build1',
    'parser.add_argument("--token", "--api-token2", help="x")',
  ])
    t.strictSame(found(command), [], command)
})

t.test('rows of options are read in linear time', async (t) => {
  for (const piece of ['curl -u "a:b ', 'mysql -p"a', 'sshpass -p "a ', ' -u a:\\', 'mysql -p"a\\"'])
    t.ok(found(piece.repeat(10_000)))
})
