import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

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
  ['docker secret create db_password - <<< "Gast!2026"', 'Gast!2026'],
  ['printf Gast!2026 | docker secret create db_password -', 'Gast!2026'],
  ["aws secretsmanager create-secret --name prod/db --secret-string 'Gast!2026'", 'Gast!2026'],
  ["aws ssm put-parameter --name /app/password --value 'Gast!2026' --type SecureString", 'Gast!2026'],
  ['az keyvault secret set --name "db-password" --value=Gast!2026', 'Gast!2026'],
  ['gh secret set NAME -b hunter$2x -R a/b', 'hunter$2x'],
  ['gh secret set NAME --repo a/b <<< swordfish', 'swordfish'],
  ['echo swordfish | gh secret set NAME', 'swordfish'],
  ['fly secrets set NAME=swordfish', 'swordfish'],
  ['chpasswd <<< "bob:swordfish"', 'swordfish'],
  ['echo "bob:swordfish" | sudo chpasswd', 'swordfish'],
  ['net use Z: \\\\srv\\share hunter2x /user:bob', 'hunter2x'],
  ['net use Z: \\\\srv\\share /user:DOM\\bob hunter2x', 'hunter2x'],
  ['docker login -phunter2x -u bob x.example', 'hunter2x'],
  ['zip -rP hunter2x a.zip b', 'hunter2x'],
  ['unzip -Phunter2x a.zip', 'hunter2x'],
  ['7z a -pswordfish a.7z b', 'swordfish'],
  ['openssl pkcs12 -export -in a -passout pass:swordfish', 'swordfish'],
  ['keytool -genkey -alias a -keypass swordfish', 'swordfish'],
  ['ldapsearch -x -D "cn=admin,dc=x" -w swordfish -b dc=x', 'swordfish'],
  ['ldapadd -x -D cn=admin -whunter2x', 'hunter2x'],
  ['security add-generic-password -a bob -s x -w hunter2x', 'hunter2x'],
  ['etcdctl --user root:hunter2x get x', 'hunter2x'],
  ['hydra -l bob -p hunter2x ssh://x.example', 'hunter2x'],
  ['rabbitmqctl -n a@b add_user bob hunter2x', 'hunter2x'],
  ["rabbitmqctl change_password bob 'a b c9'", 'a b c9'],
  ['wpa_passphrase "My Home" hunter2x', 'hunter2x'],
  ['PGPASSWORD=swordfish psql -U bob', 'swordfish'],
  ['cd x && env PGPASSWORD=swordfish pg_dump x', 'swordfish'],
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
    'aws secretsmanager create-secret --name prod/db2 --secret-string file://creds2.json',
    'aws secretsmanager create-secret --name prod/db2 --secret-string "$(openssl rand -hex 12)"',
    'aws ssm put-parameter --name /app/password --value "$DB_PW2" && x --name token --value 3600',
    'docker secret create db_password ./password2.txt',
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
    'wget https://x.example/a.zip -P data_dir2; tar xf a.rar -path /x1; unzip a.zip -P 2',
    '7z a -p a.7z src1; zip -r9 a.zip src1 -x "*.log1"; ldapsearch -x -W -s sub -a never1',
    'openssl rsa -passin env:PASS1; openssl rsa -passin file:/x1 -passout fd:3; openssl rsa -passin pass:$PW1',
    'openssl rsa -passin "pass:<password1>"',
    'see 7z -p, openssl -passin and -passout, mysql -u and -password',
    'wpa_passphrase ssid1 passphrase; rabbitmqctl add_user bob $PW1; user.add_user bob secret1',
    'Set PGPASSWORD=required in the file',
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
    'zip -P "a',
    'rabbitmqctl -n a add_user a ',
    'wpa_passphrase "a ',
    'A_PASSWORD=swordfish psql ',
    'openssl -passin pass:',
    'echo a:b | chpasswd <<< ',
    'xfreerdp /p:"',
    '/p:a ',
    'echo x | sudo -S ',
  ])
    t.ok(found(piece.repeat(10_000)))
})
