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
  ['curl -sSu bob:hunter2x https://x.example', 'hunter2x'],
  ['curl -ubob:swordfish https://x.example', 'swordfish'],
  ['curl -XPOST -ku "bob:pa ss 9" https://x.example', 'pa ss 9'],
  ['sshpass -phunter2x ssh bob@x', 'hunter2x'],
  ['az login -u bob -p swordfish', 'swordfish'],
  ['docker login -u bob -p swordfish x.example', 'swordfish'],
  ['sqlcmd -S h -U sa -P swordfish -Q x', 'swordfish'],
  ['netexec smb h -u bob -p hunter2x', 'hunter2x'],
  ['dotnet nuget add source x -u bob -p hunter2x', 'hunter2x'],
  ['snmpget -v3 -u bob -A hunter2xyz h', 'hunter2xyz'],
  ['az keyvault secret set -n x --value "a b 9"', 'a b 9'],
  ['aws ssm put-parameter --name x --type SecureString --value hunter2x', 'hunter2x'],
  ['xfreerdp /u:bob /p:hunter2x /v:10.0.0.1', 'hunter2x'],
  ["wlfreerdp3 /v:h /u:DOM\\bob /p:'pa ss9'", 'pa ss9'],
  ['echo hunter2x | sudo -S ls', 'hunter2x'],
  ['echo -n swordfish | gcloud secrets versions add x --data-file=-', 'swordfish'],
  ['gh secret set NAME --body "a b c9"', 'a b c9'],
  ['gh secret set NAME -b hunter$2x -R a/b', 'hunter$2x'],
  ['gh secret set NAME --repo a/b <<< swordfish', 'swordfish'],
  ['echo swordfish | gh secret set NAME', 'swordfish'],
  ['fly secrets set NAME=swordfish', 'swordfish'],
  ['chpasswd <<< "bob:swordfish"', 'swordfish'],
  ['echo "bob:swordfish" | sudo chpasswd', 'swordfish'],
  ['net use Z: \\\\srv\\share hunter2x /user:bob', 'hunter2x'],
  ['net use Z: \\\\srv\\share /user:DOM\\bob hunter2x', 'hunter2x'],
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

t.test('a password that is written twice is masked with what parts the two', async (t) => {
  t.strictSame(found(String.raw`echo -e "hunter2x\nhunter2x" | sudo passwd bob`), [String.raw`hunter2x\nhunter2x`])
  t.strictSame(found(String.raw`echo -e "$PW\n$PW" | sudo passwd bob`), [])
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
    'curl -sS http://x.example:80/y -XPUT http://x.example:81',
    'curl -fsSLu "$USER:$PASS" -Lu user:password x',
    'gh secret set NAME --body "$TOKEN"; gh secret set NAME --body-file x2.txt; gh secret set -f .env2; gh secret set A < x2',
    'cat x2 | gh secret set NAME; echo "$TOKEN" | gh secret set NAME',
    'echo "$PW" | sudo -S ls; echo hello2 | grep -S x',
    'docker login -u user -p password x',
    'net use X: \\\\srv\\share /user:bob *; net use X: \\\\srv\\share /user:bob /persistent:yes',
    'xfreerdp /u:bob /p:$PW2 /v:h',
    'cmd2 /p:hunter2x',
    'echo "don\'t && a" && mkdir -p build1',
    'mysql -u bob && git commit -m "don\'t" -pbuild1',
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
  for (const piece of [
    'curl -u "a:b ',
    'mysql -p"a',
    'sshpass -p "a ',
    ' -u a:\\',
    'mysql -p"a\\"',
    'gh secret set A -b "',
    'echo x | gh secret set ',
    'net use x /user:',
    'echo a:b | chpasswd <<< ',
    'xfreerdp /p:"',
    '/p:a ',
    'echo x | sudo -S ',
  ])
    t.ok(found(piece.repeat(10_000)))
})
