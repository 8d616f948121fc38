import fc from 'fast-check'
import t from 'tap'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'
import { hostileTexts } from '../../../fixtures/masking/bench-texts.ts'
import { seeded, ALPHANUMERIC } from '../../../fixtures/masking/seeded.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const random = seeded(5)
const KEY = `ghp_${random.text(36, ALPHANUMERIC)}`

/** What is found, as `KIND text`. */
function found(text: string, kinds: readonly string[] = []): string[] {
  const { detect } = createDetector({ kinds: new Set(kinds), custom: [] })
  return detect(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
}

/** A private key as PEM. */
const PEM = `-----BEGIN PRIVATE KEY-----\n${random.text(60, ALPHANUMERIC)}\n-----END PRIVATE KEY-----`

/** A wallet's. */
const WORDS = 'abandon ability able about above absent absorb abstract absurd abuse access accident'

const FOUND: readonly (readonly [text: string, ...expected: string[]])[] = [
  [`CREATE USER 'app'@'%' IDENTIFIED BY 'swordfish';`, 'KEY swordfish'],
  [`alter user app identified with mysql_native_password by "x""y9"`, 'KEY x""y9'],
  ['ALTER USER app\n  IDENTIFIED BY tiger;', 'KEY tiger'],
  [String.raw`{"sql":"GRANT ALL ON x TO a IDENTIFIED BY \"pw12\" WITH GRANT OPTION"}`, 'KEY pw12'],
  ['app --token abc123def456 --api-key abc123def457 --port 80', 'KEY abc123def456', 'KEY abc123def457'],
  ['{"args":["--token", "abc123def456"], "a":1}', 'KEY abc123def456'],
  [`run(['--api-key',\n  'abc123def457'])`, 'KEY abc123def457'],
  ["CREATE ROLE app LOGIN PASSWORD 'swordfish'; ALTER USER b PASSWORD 'swordfisch'", 'KEY swordfish', 'KEY swordfisch'],
  ["INSERT INTO [dbo].[Users] ([Name],[Password]) VALUES (N'bob', N'hunter2x')", 'KEY hunter2x'],
  ["INSERT INTO u(pw, name) VALUES (E'hunter2x', 'b'), (_utf8mb4'hunter3x', 'c')", 'KEY hunter2x', 'KEY hunter3x'],
  [
    "INSERT INTO u(name,pw,at) VALUES('a', crypt('hunter2x', gen_salt('bf', 8)), now()), ('b', MD5('hunter3x'), NOW()), ('c', 'hunter4x', '')",
    'KEY hunter2x',
    'KEY hunter3x',
    'KEY hunter4x',
  ],
  [
    'COPY public.users (id, pw, name) FROM stdin;\n1\thunter2x\tbob\n2\t\\N\tamy\n3\thunter3x\tjoe\n\\.\n',
    'KEY hunter2x',
    'KEY hunter3x',
  ],
  ['COPY users (pw, name) FROM STDIN WITH (FORMAT csv);\r\nhunter2x,bob\r\n\\.', 'KEY hunter2x'],
  [' id | name | password\n----+------+----------\n  1 | bob  | hunter2x\n(1 row)', 'KEY hunter2x'],
  [
    '+------+----------+\n| name | password |\n+------+----------+\n| bob  | hunter2x |\n| amy  | hunter3x |\n+------+----------+\n',
    'KEY hunter2x',
    'KEY hunter3x',
  ],
  [`jwt.sign({ id: user.id }, "s3cr3tK3y!", { expiresIn: '1h' })`, 'KEY s3cr3tK3y!'],
  [
    "jsonwebtoken.verify(token, 'shhhhh', (e) => 1); JWT.encode(payload, 'hm4c$ecret', 'HS256')",
    'KEY shhhhh',
    'KEY hm4c$ecret',
  ],
  [String.raw`{"code":"jwt.decode(encoded, \"sup3rs3cret\", algorithms=[\"HS256\"])"}`, 'KEY sup3rs3cret'],
  ['DriverManager.getConnection("jdbc:mysql://localhost/db", "scott", "tiger99")', 'KEY tiger99'],
  ['ds.getConnection("scott", "swordfish")', 'KEY swordfish'],
  [`new PDO($dsn, "root", "hunter2x"); new mysqli('db', 'root', 'hunter3x')`, 'KEY hunter2x', 'KEY hunter3x'],
  ['MySQLdb.connect("localhost", "root", "hunter2x", "db")', 'KEY hunter2x'],
  ["crypto.createHmac('sha1', 'abcdef12345')", 'KEY abcdef12345'],
  ['setx API_TOKEN abc123def456 /M\nset -gx API_TOKEN abc123def457', 'KEY abc123def456', 'KEY abc123def457'],
  ['setx API_KEY 9fk2mq8xlp\nset -gx OPENAI_KEY 9fk2mq8xlq', 'KEY 9fk2mq8xlp', 'KEY 9fk2mq8xlq'],
  ['C:\\>net user bob P@ssw0rd! /add', 'KEY P@ssw0rd!'],
  ['WIFI:T:WPA;S:Home Net;P:swordfish;H:true;;', 'KEY swordfish'],
  [String.raw`{"qr":"WIFI:S:Home;T:WPA;P:ab\\;c9;;"}`, String.raw`KEY ab\\;c9`],
  ['my password hK9#xy12 and 암호: 비밀번호12', 'KEY hK9#xy12', 'KEY 비밀번호12'],
  ['密码：我爱你123', 'KEY 我爱你123'],
  ['Passwort: Müller77, contraseña: ñandú2024', 'KEY Müller77', 'KEY ñandú2024'],
  [
    'JWT_SECRET=MySuperSecretKey2024\nSECRET_KEY=aB3dE5fG7hJ9kLmNpQ',
    'KEY MySuperSecretKey2024',
    'KEY aB3dE5fG7hJ9kLmNpQ',
  ],
  ['cards 4521 3345 8812 9034 1122 7654 3321 9087 4111 1111 1111 1111 5520 1199', 'CARD 4111 1111 1111 1111'],
  [Array(6).fill('4111 1111 1111 1111').join(' '), ...Array(6).fill('CARD 4111 1111 1111 1111')],
  ['Recovery codes:\n- a1b2c-3d4e5\n- f6g7h-8i9j0\n\nKeep them', 'KEY a1b2c-3d4e5\n- f6g7h-8i9j0'],
  ['my backup codes are a1b2c-3d4e5, f6g7h-8i9j0.', 'KEY a1b2c-3d4e5, f6g7h-8i9j0'],
  ['2FA backup code: 4821 9375', 'KEY 4821 9375'],
  ['sqlplus -s scott/tiger9x@orcl; rman target sys/hunter2x', 'KEY tiger9x', 'KEY hunter2x'],
  ['jdbc:oracle:thin:scott/hunter2x@//h:1521/x', 'KEY hunter2x'],
  ['requirepass hunter2x\nmasterauth hunter3x\n', 'KEY hunter2x', 'KEY hunter3x'],
  ['var password string = "hunter2x"', 'KEY hunter2x'],
  ['<Password Encoding="x" Value="hunter2x" />', 'KEY hunter2x'],
  ['lftp -u bob,hunter2x sftp://h', 'KEY hunter2x'],
  ['ssh-keygen -t rsa -N "swordfish 9" -f id', 'KEY swordfish 9'],
  ['psexec -u bob -p hunter2x cmd', 'KEY hunter2x'],
  [
    String.raw`{"a":"COPY users (id, pw) FROM stdin;\n1\thunter2x\n2\thunter3x\n\\.\n"}`,
    'KEY hunter2x',
    'KEY hunter3x',
  ],
  [String.raw`{"yaml":"password:\n  hunter3x\nname: x"}`, 'KEY hunter3x'],
  [String.raw`{"a":"{\"password\":\n \"hunter2x\"}"}`, 'KEY hunter2x'],
  [
    `cookies.set('sid', '38afes7a8'); req.cookies.sid = "48afes7a8"; $_COOKIE['sid'] = '58afes7a8'`,
    'KEY 38afes7a8',
    'KEY 48afes7a8',
    'KEY 58afes7a8',
  ],
  [
    `driver.add_cookie({"name": "sid", "value": "38afes7a8"}); jar.cookies["sid"] = "48afes7a8"`,
    'KEY 38afes7a8',
    'KEY 48afes7a8',
  ],
  ['hunter2x to moje hasło', 'KEY hunter2x'],
  ['enable secret Cisc0!23\nsnmp-server community s3cretRO RO', 'KEY Cisc0!23', 'KEY s3cretRO'],
  ['username bob privilege 15 password 7 0822455D0A16', 'KEY 0822455D0A16'],
  [' neighbor 10.0.0.1 password 0 hunter2x\n', 'KEY hunter2x'],
  ['tacacs-server host 10.0.0.1 key tacK3y99', 'KEY tacK3y99'],
  ['ConvertTo-SecureString "P@ss w" -AsPlainText -Force', 'KEY P@ss w'],
  [`$p = ConvertTo-SecureString -AsPlainText -Force 'P@ss'`, 'KEY P@ss'],
  [String.raw`{"cmd":"ConvertTo-SecureString -String \"P@ss\" -Force -AsPlainText"}`, 'KEY P@ss'],
  [
    "INSERT INTO users (name, password) VALUES ('bob', 's3cr3tPw!'), (now(), 'hunter2x');",
    'KEY s3cr3tPw!',
    'KEY hunter2x',
  ],
  [
    "insert into `u` (`id`, `password`, `api_token`) values\n(1,'hunter2x','abc123def456'),\n(2,'it''s9x',NULL),('x, (y)',NULL,'a\\'b123def4')",
    'KEY hunter2x',
    'KEY abc123def456',
    "KEY it''s9x",
    "KEY a\\'b123def4",
  ],
  [String.raw`{"sql":"INSERT INTO \"u\" (\"name\", \"password\")\n VALUES ('bob', 'hunter2x')"}`, 'KEY hunter2x'],
  ['kind: Secret\ndata:\n  password: aHVudGVyMjI=\n', 'KEY aHVudGVyMjI='],
  // Files put together, the first without a line end at its end.
  [`${PEM}${PEM}\n${PEM}`, `KEY ${PEM}`, `KEY ${PEM}`, `KEY ${PEM}`],
  [`-----END CERTIFICATE-----${PEM}`, `KEY ${PEM}`],
  [`---------------------${PEM}`, `KEY ${PEM}`],
  ['Mail bob.smith+news@mail.example.co.uk.', 'EMAIL bob.smith+news@mail.example.co.uk'],
  ['<alice@example.com>;mailto:joe@site.org?x=1', 'EMAIL alice@example.com', 'EMAIL joe@site.org'],
  ['请联系bob@example.com谢谢', 'EMAIL bob@example.com'],
  ['用户@例子.广告 иван@почта.рф', 'EMAIL 用户@例子.广告', 'EMAIL иван@почта.рф'],
  ['"a\\nbob@example.com\\nb"', 'EMAIL bob@example.com'],
  [
    'ann@example.com.pdf, bob@example.org.tar.gz, joe@site.io.PNG',
    'EMAIL ann@example.com',
    'EMAIL bob@example.org',
    'EMAIL joe@site.io',
  ],
  ["sean.o'brien@example.ie", "EMAIL sean.o'brien@example.ie"],
  ['?to=bob%40example.com&x=1', 'EMAIL bob%40example.com'],
  ['john [at] example [dot] com', 'EMAIL john [at] example [dot] com'],
  ['4111 1111 1111 1111, 3782 822463 10005', 'CARD 4111 1111 1111 1111', 'CARD 3782 822463 10005'],
  ['2024-01-15 4111-1111-1111-1111 12/26', 'CARD 4111-1111-1111-1111'],
  ['"x\\n4111111111111111\\u00204012888888881881"', 'CARD 4111111111111111', 'CARD 4012888888881881'],
  ['a,4111111111111111,b', 'CARD 4111111111111111'],
  [`clone https://user:${KEY}@github.com/a/b`, `KEY ${KEY}`],
  [`see\\n${KEY}.`, `KEY ${KEY}`],
  ['postgres://app:S3cr3t!pw@db:5432/x', 'KEY S3cr3t!pw'],
  ['postgres://u:p@ss/w0rd@h:5432/db', 'KEY p@ss/w0rd'],
  ['redis://u:ab"cdEF12@h:6379/0 https://u:ab<cdEF12@h.example', 'KEY ab"cdEF12', 'KEY ab<cdEF12'],
  [`url: 'redis://u:p"wX1@h', jdbc:postgresql://u:pa>ssW0@h/db`, 'KEY p"wX1', 'KEY pa>ssW0'],
  [
    String.raw`{"db":"redis://u:ab\"cdEF12@h:1","a":"\"http://u:name\"bob@example.com"}`,
    String.raw`KEY ab\"cdEF12`,
    'EMAIL bob@example.com',
  ],
  ['DB=postgres://u:a@b"cD12@h', 'KEY a@b"cD12'],
  ['"redis://u:abCD12"@x.example <https://u:x>y@z.example', 'EMAIL y@z.example'],
  [
    'see http://h:80"x@a.example and "http://u:pw","to":"bob@example.com"',
    'EMAIL x@a.example',
    'EMAIL bob@example.com',
  ],
  [
    'href=http://u:name>bob@example.com</a> http://u:name<bob@example.com>',
    'EMAIL bob@example.com',
    'EMAIL bob@example.com',
  ],
  ['u:p4ssword@tcp(db:3306)/x', 'KEY p4ssword'],
  ['my password is hunter2x9, ok?', 'KEY hunter2x9'],
  ['password for the staging db: hunter2x9', 'KEY hunter2x9'],
  ['Das Passwort lautet Geheim123!', 'KEY Geheim123!'],
  ['contraseña: Hola2024! пароль: Zxcv1234', 'KEY Hola2024!', 'KEY Zxcv1234'],
  ['密码是abc12345，谢谢', 'KEY abc12345'],
  ['- name: DB_PASSWORD\n  value: s3cr3tX99', 'KEY s3cr3tX99'],
  ['name,password\nbob,s3cr3tX99\namy,Pa55word!', 'KEY s3cr3tX99', 'KEY Pa55word!'],
  ['{"password":{"name":"x","value":"s3cr3tX99"}}', 'KEY s3cr3tX99'],
  ['{"db": {"password" : { "value" : "s3cr3tX99" }}}', 'KEY s3cr3tX99'],
  [String.raw`"{\"password\":{\n  \"type\":\"text\",\"raw\":\"s3cr3tX99\"}}"`, 'KEY s3cr3tX99'],
  ['{"name":"password","type":"string","required":true,"value":"s3cr3tX99"}', 'KEY s3cr3tX99'],
  ['{"key":"db.password","value":{"stringValue":"s3cr3tX99"}}', 'KEY s3cr3tX99'],
  ['[{"value":"s3cr3tX99","name":"DB_PASSWORD"},{"value":"x1","name":"HOST"}]', 'KEY s3cr3tX99'],
  [String.raw`{\"value\": \"s3cr3tX99\",\n \"id\": \"password\"}`, 'KEY s3cr3tX99'],
  ['{"value":"db1secretX9","name":"db1secretX9_password"}', 'KEY db1secretX9'],
  ['<password>Tr0ub4dor</password>', 'KEY Tr0ub4dor'],
  ['auth=("bob", "s3cr3tX99")', 'KEY s3cr3tX99'],
  ['bob@example.com:hunter2', 'EMAIL bob@example.com', 'KEY hunter2'],
  ['password: bob@example.com', 'EMAIL bob@example.com'],
  ['hunter2x9 is my password', 'KEY hunter2x9'],
  ['{"a":"\\"swordfish\\" is the admin password"}', 'KEY swordfish'],
  ['login with bob / hunter2x9', 'KEY hunter2x9'],
  ['machine h.example.com login bob password swordfish', 'KEY swordfish'],
  ['my password is qxzvjkwp and it fails', 'KEY qxzvjkwp'],
  ['db.example.com:5432:app:bob:hunter2x9', 'KEY hunter2x9'],
  ['echo hunter2x9 | docker login -u bob --password-stdin', 'KEY hunter2x9'],
  ['echo "bob:hunter2x9" | sudo chpasswd', 'KEY hunter2x9'],
  ['htpasswd -b .htpasswd bob hunter2x9', 'KEY hunter2x9'],
  ['openssl enc -aes-256-cbc -k hunter2x9 -in f', 'KEY hunter2x9'],
  ['{"a":"{\\"b\\":\\"{\\\\\\"password\\\\\\":\\\\\\"hunter2x9\\\\\\"}\\"}"}', 'KEY hunter2x9'],
  ['{"a":"user,password\\nbob,s3cr3tX99\\namy,Pa55word!"}', 'KEY s3cr3tX99', 'KEY Pa55word!'],
  ['<entry key="db.password">hunter2x9</entry>', 'KEY hunter2x9'],
  ['4111  1111  1111  1111, 4111_1111_1111_1111', 'CARD 4111  1111  1111  1111', 'CARD 4111_1111_1111_1111'],
  ['4111/1111/1111/1111, 3782 / 822463 / 10005', 'CARD 4111/1111/1111/1111', 'CARD 3782 / 822463 / 10005'],
  ['on 12/26/4111111111111111; see /4111/1111/1111 and 20250101/20250131', 'CARD 4111111111111111'],
  [
    '41000000 / 50000000 bytes, pages 5018 / 0000 / 0009, but 5018 0000 0009/2027, 2027/5018 0000 0009',
    'CARD 5018 0000 0009',
    'CARD 5018 0000 0009',
  ],
  [`${'01/02/2025 '.repeat(7)}4111 1111 1111 1111`, 'CARD 4111 1111 1111 1111'],
  [`${'01/02/2025 '.repeat(14)}1/4111-1111-1111-1111`, 'CARD 4111-1111-1111-1111'],
  [`${'1-'.repeat(20)}4111-1111-1111-1111`],
  ['15x22-4111-1111-1111-1111', 'CARD 4111-1111-1111-1111'],
  [
    '%B4111111111111111^DOE/JOHN      ^25121010000000000000?;4111111111111111=25121010000000000000?',
    'CARD 4111111111111111^DOE/JOHN      ^25121010000000000000',
    'CARD 4111111111111111=25121010000000000000',
  ],
  ['x = 4111111111111111=2512, %B4111111111111112^DOE/JOHN^2512101?', 'CARD 4111111111111111'],
  [
    'bob%example.org@relay.example.com, a%20amy@example.com',
    'EMAIL bob%example.org@relay.example.com',
    'EMAIL amy@example.com',
  ],
  [
    'bob%acme.org@relay.example.com, see%c3%bcamy@example.com',
    'EMAIL bob%acme.org@relay.example.com',
    'EMAIL amy@example.com',
  ],
  ['bob.smith at example dot com, look at example dot com', 'EMAIL bob.smith at example dot com'],
  ['The EllipticCurvePublicKey is a private key; wheel.py,sha256=WsN7z0_QSgJjw0JsWWcqOHj4wWTaFv0J7mxgUByDCOg'],
  ['DB_PASSWORD_PROD = "hunter2x9"', 'KEY hunter2x9'],
  ['x = process.env.DB_PASSWORD ?? "hunter2x9", ENV["DB_PASSWORD"] ||= "hunter2y9"', 'KEY hunter2x9', 'KEY hunter2y9'],
  ['Server=db1;Uid=app;Pwd={hunter2x9};', 'KEY hunter2x9'],
  ['Server=db1;Uid=app;Pwd={password};Server=db2;Pwd={db.password1};'],
  ['bob+eu [at] example [dot] com', 'EMAIL bob+eu [at] example [dot] com'],
  ['func run(pass *analysis.Pass) error; Pass *createX(); FunctionPass *createY(); SRP_user_pwd *user_pwd);'],
  ['You can pass capture_output=True to subprocess.run, or pass `spec=True`, pass stdout=PIPE, pass timeout=0.5'],
  ['Pass max_retries=3 to the client, or pass timeout=30 and pass n_jobs=-1'],
  ['pass card_pin=4711 and pass hunter_x=1234567', 'KEY card_pin=4711', 'KEY hunter_x=1234567'],
  [
    'pass pincode=4711, then pass wifi=4711, pass card_cvv=123',
    'KEY pincode=4711',
    'KEY wifi=4711',
    'KEY card_cvv=123',
  ],
  ['my pass puk=12345 or pass authcode=482913', 'KEY puk=12345', 'KEY authcode=482913'],
  ['they pass totp=482913, or pass mtan=482913', 'KEY totp=482913', 'KEY mtan=482913'],
  ['pass spin=2, pass arctan=3, pass encode=1, pass pinned=1, pass opcode=12, pass exitcode=4, pass num_codes=10'],
  ['my $pass = $self->{pass}; $PASSWORD = $CPAN::Config->{password} || ""; $password = $opt{password};'],
  ["fn login(user: &str, password: &str, token: &'static str, passphrase: &String)"],
  ['passphrase: &#x3C;string>, password: &lt;your password&gt;'],
  ['pass hunter2x=99! password: $ecret{9}x', 'KEY hunter2x=99!', 'KEY $ecret{9}x'],
  ['sk-ecdsa-sha2-nistp256@openssh.com,aes128-gcm@openssh.com,umac-64-etm@openssh.com,curve25519-sha256@libssh.org'],
  ['none,zlib@openssh.com,kex-strict-c-v00@openssh.com,webauthn-sk-ecdsa-sha2-nistp256@openssh.com'],
  ['sk-ecdsa-sha2-nistp256 djm@openssh.com', 'EMAIL djm@openssh.com'],
  ['john-smith@openssh.com security2@libssh.org', 'EMAIL john-smith@openssh.com', 'EMAIL security2@libssh.org'],
  ['API_SECRET=0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'KEY 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  ['my pass is Summer=2024, wifi pass Hallo=1234', 'KEY Summer=2024', 'KEY Hallo=1234'],
  ['{"password":"&lt;SommerRegen"}', 'KEY &lt;SommerRegen'],
  ['mysql://u:$uperSecret@h password: $Passw0rd', 'KEY $uperSecret', 'KEY $Passw0rd'],
  ['mysql://u:$ummer2024@h mysql://u:$xK9mQ2vLp7@h', 'KEY $ummer2024', 'KEY $xK9mQ2vLp7'],
  ['mysql://$user:$dbPass@$host mysql://u:$DB_PASS@h mysql://u:${DB_PASS}@h mysql://u:$serverPassword@h'],
  ['mysql://u:$neo4jPassword@h mysql://u:$user1pass@h password: $secret, $pass = $stars, mysql://u:$now3@h'],
  ['password: $kater{1}', 'KEY $kater{1}'],
  [`privateKey=0x${'4c0883a6'.repeat(8)}`, `KEY 0x${'4c0883a6'.repeat(8)}`],
  [`{"mnemonic":"${WORDS}"}, MNEMONIC='${WORDS}'`, `KEY ${WORDS}`, `KEY ${WORDS}`],
  [`{"seed_phrase":"${WORDS}"}, secretRecoveryPhrase = '${WORDS}'`, `KEY ${WORDS}`, `KEY ${WORDS}`],
  [`seed-phrase: "${WORDS}", "Secret recovery phrase": "${WORDS}"`, `KEY ${WORDS}`, `KEY ${WORDS}`],
  [`{"seedphrase":"${WORDS}","mnemonicWords":"${WORDS}"}`, `KEY ${WORDS}`, `KEY ${WORDS}`],
  ['auto_recovery: "i-0abc123def4567890", "recovery": "rds:snap-0abc123def4", phrase: "ab12cd34ef56"'],
  [`phrase: "${WORDS}", "search phrase": "${WORDS}", recovery: "${WORDS}"`],
  ['recovery_phrase: "lost", "recovery": "point in time", "seed_value": 12345678, seeded_at: 2024-01-01'],
  ['{"passPhrase":"correct horse battery staple","key_phrase":"machine learning"}', 'KEY correct horse battery staple'],
  ['{"token":"this is a sentence of twelve words that nobody would call secret"}'],
  ['#define SSL_TXT_PSK "PSK"\n#define SSL_TXT_ECDSA; GL_STENCIL_PASS_DEPTH_PASS 0x0B96'],
  ['SEC_PKCS12DecoderContext *sec_PKCS12PasswordModeInfo'],
  ['s.HTTP2MaxStreamsPerConnection, s.openAPIV2ConverterHandler; cgroupKey := Cgroup2MemoryLow'],
  ['secret := &v1.Secret{ObjectMeta: x}; Token: &bootstrap1.Token{ID: "x"}, Auth: params.AuthUnionOfMCP2{'],
  ['begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----'],
  ['import "left-pad@cdn.example.com.min.js"; url(bg@desktop.dev.svg)'],
  ['<input type="password" name="password" autocomplete="current-password">'],
]

/** As people write them for a test. */
const SHORT_KEYS =
  'sk-12345 sk-1234 sk-1234567890 sk-abc123 sk-abc123def456 sk-secret-key-12345 sk-fake-12345 sk-test-fake-key-123 sk-live-abc123 sk-test-123 sk-proj-12345 sk_test_12345 sk_live_abc123 pk_test_12345 ghp_1234567890 ghp_abc123 glpat-abc123 xoxb-123456 hf_abc123 AKIA12345678 key-1234567890abcdef'

for (const key of SHORT_KEYS.split(' '))
  t.test(`a short key ${key} is found`, async (t) => {
    for (const text of [
      `Use ${key} now`,
      `${key}.`,
      `my key is ${key}`,
      `api_key=${key}`,
      `"a\\n${key}\\n"`,
      `_${key}_`,
    ])
      t.strictSame(found(text), [`KEY ${key}`], text)
  })

t.test('a short key is found in an address, for its user, and before the next sentence', async (t) => {
  t.strictSame(found('https://ghp_123456@github.com/x.git'), ['KEY ghp_123456'])
  t.strictSame(found('https://sk_test_abc123:@api.stripe.com/v1'), ['KEY sk_test_abc123'])
  t.strictSame(found('https://api.example.com/v1/sk_live_abc123/charge'), ['KEY sk_live_abc123'])
  t.strictSame(found('sk_test_123456/sk_live_987654'), ['KEY sk_test_123456', 'KEY sk_live_987654'])
  t.strictSame(found('My key is ghp_1234567890.Please use it'), ['KEY ghp_1234567890'])
})

t.test('names with the prefix of a key are none', async (t) => {
  const names =
    'ASIACRYPT2024 ASIAPAC2024Q3 sk-container-id-12345 sk-estimator-id-10234 https://x.example/sk-test-123/ sk-test-1080p.mp4 sk-live-2024-12-31'
  for (const name of names.split(' ')) t.strictSame(found(`See ${name} for more`), [], name)
})

const MADE_UP: readonly (readonly [text: string, expected: string])[] = [
  ['token=abc123def456', 'abc123def456'],
  ['token: abc123def456', 'abc123def456'],
  ['{"token": "abc123def456"}', 'abc123def456'],
  ['auth_token = abc123def456', 'abc123def456'],
  ['?api_key=abc123&x=1', 'abc123'],
  ['apikey: test1234', 'test1234'],
  ['API key: 1234abcd', '1234abcd'],
  ['secret=s3cr3t', 's3cr3t'],
  ['secret = "supersecret123"', 'supersecret123'],
  ['Authorization: Bearer abc123def456', 'abc123def456'],
  ['authorization: "Bearer mytoken123"', 'mytoken123'],
  ['send Bearer abc123 with it', 'abc123'],
  ['my api key is abc123def456', 'abc123def456'],
]

t.test('a value that is made up is found behind a name that tells of it', async (t) => {
  for (const [text, expected] of MADE_UP) t.strictSame(found(text), [`KEY ${expected}`], text)
})

t.test(
  'a token as long as those of AWS, of a refresh or of a cookie is found whole, and longer than a header none',
  async (t) => {
    for (const length of [256, 257, 511, 512, 513, 900, 1025, 3000, 8000]) {
      const token = random.text(length, ALPHANUMERIC)
      for (const [before, after] of [
        ['AWS_SESSION_TOKEN=', '\n'],
        ['"SessionToken": "', '"'],
        ["export AWS_SESSION_TOKEN='", "'"],
        ['{\\"refresh_token\\":\\"', '\\"}'],
        ['Authorization: Bearer ', '\n'],
        ['docker login --password ', ' host'],
        ['{"Cookie":"session=', '; a=b"}'],
      ] as const)
        t.strictSame(found(`${before}${token}${after}`), [`KEY ${token}`], `${length} behind ${before}`)
      for (const name of ['.AspNetCore.Cookies', 'session', '_app_session']) {
        const header = `Cookie: ${name}=${token}; a=b`
        t.ok(
          found(header).some((secret) => secret.endsWith(token)),
          `${length} in ${name}`,
        )
      }
    }
    for (const sign of ['\\/', '\\u002B', '\\u002f', '\\u003d', '\\\\/']) {
      const token = `${random.text(300, ALPHANUMERIC)}${sign}${random.text(600, ALPHANUMERIC)}`
      t.strictSame(found(`{"SessionToken":"${token}","a":"b"}`), [`KEY ${token}`], `${sign} as JSON escapes it`)
    }
    t.strictSame(found(`token=${random.text(8193, ALPHANUMERIC)}`), [])
    t.strictSame(found(`{"nextPageToken":"${random.text(900, ALPHANUMERIC)}"}`), [])
    t.strictSame(found(`token: ${'one word, '.repeat(100)}`), [])
  },
)

for (const [text, ...expected] of FOUND) {
  t.test(`${JSON.stringify(text.replace(KEY, 'ghp_...'))} is found`, async (t) => t.strictSame(found(text), expected))
}

t.test('a generated value is found, though it has signs or letters as code has', async (t) => {
  for (const value of ['kJ8}{mQ2x!w', 'kJ8}}mQ2x!w', 'Zq)}9xL||m'])
    for (const put of [(x: string) => `password: ${x}`, (x: string) => `DB_PASSWORD=${x}\nA=b`])
      t.strictSame(found(put(value)), [`KEY ${value}`], value)
  for (const value of ['uokXnaXa1EtMrIFUTa', 'opgA27JDSdEZFkKk', 'N87ZdnitcytrTHLm'])
    t.strictSame(found(`token: ${value}`), [`KEY ${value}`], value)
})

t.test('a key with a plus is found behind an assignment, in an address and in a diff', async (t) => {
  const key = 'pdus+_0XBPWQQ_5032842c-2fe5-9d13-6bd5-d3eb09dc493e'
  for (const before of ['FOO=', 'https://x.example/?ref=', '+'])
    t.strictSame(found(`${before}${key}\n`), [`KEY ${key}`], before)
})

t.test('a value is found where a manifest or a program has something between it and its name', async (t) => {
  const django = 'django-insecure-k2#p9$x7!m4q8&z1v6^b3n0w5-u#=q'
  for (const [text, value] of [
    ['variable "db_password" {\n  type    = string\n  default = "kQ9!zzTop44"\n}', 'kQ9!zzTop44'],
    [
      'variable "db_password" {\n  description = "For the app."\n  type = string\n  sensitive = true\n  default = "kQ9!zz"\n}',
      'kQ9!zz',
    ],
    ["define('AUTH_KEY',         't-4kQ~8zLm+R2x|vB7nP0sW');", 't-4kQ~8zLm+R2x|vB7nP0sW'],
    ['<setting name="ApiSecret" serializeAs="String">\n  <value>q8W3e7R2t6Y1u5I0</value>', 'q8W3e7R2t6Y1u5I0'],
    [`<machineKey validationKey="${'A1B2C3D4E5F60718'.repeat(4)}" />`, 'A1B2C3D4E5F60718'.repeat(4)],
    ["CREATE LOGIN bob WITH PASSWORD = N'MsSql#2022';", 'MsSql#2022'],
    ['    password: ${RABBIT:r4bb1t-99}', 'r4bb1t-99'],
    ['POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-hunter2x}', 'hunter2x'],
    ['DB_PASS="${DB_PASS:-hunter2x}"', 'hunter2x'],
    ['lösenordet är Älg#Skog42', 'Älg#Skog42'],
    ['smb://bob:sMb#77@nas/share', 'sMb#77'],
    [`SECRET_KEY = '${django}'`, django],
  ] as const)
    t.strictSame(found(text), [`KEY ${value}`], text)
  for (const text of [
    'POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?required}',
    'DB_PASS=${DB_PASS:-} TOKEN=${TOKEN:+set2} PASSWORD=${PASSWORD:-$PW2x}',
    'variable "db_password" {\n  type = string\n}\nvariable "port2" {\n  default = "5432x"\n}',
    'vault kv get -field=password secret/data/db2',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a private key without its last line ends at an empty one', async (t) => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${`${'MIIEpAIBAAKCAQEA7bq3Vx9k'.repeat(2)}\n`.repeat(3)}`.trimEnd()
  for (const lineBreak of ['\n', '\r\n']) {
    const written = key.replaceAll('\n', lineBreak)
    t.strictSame(found(`${written}${lineBreak}${lineBreak}Why does it fail`), [`KEY ${written}`])
  }
})

t.test('the user of a router may have a domain', async (t) => {
  t.strictSame(found('username DOM\\bob password 0 hunter2x'), ['KEY hunter2x'])
})

t.test('what only stands near a telling word stays', async (t) => {
  for (const text of [
    'mix(seed, mgfHash, db)\nmix1(db1x2y3, mgfHash2, seed3)\nfoo(user, password)\nbar(root, hunter2x)\n',
    'COPY users (id, password) TO stdout;\n1\thunter2x\n',
    "SELECT 'password', 'swordfish'; ALTER USER a PASSWORD EXPIRE; SELECT password 'swordfish'",
    "jwt.sign(payload, process.env.JWT_SECRET, { algorithm: 'HS256' }); jwt.verify(token, 'secret'); jwt.encode(p, 'RS256')",
    `new PDO($dsn, $user, 'utf8mb4'); createHmac('sha256', 'base64'); socket.connect('a1b2', '8080', 'tcp4x9')`,
    'net user growth in 2024x; the net user count abc1x is high; net user bob * /add; WIFI:OFF; "wifi": {"x": "P:abc9;"}',
    `HEX_PAT = "[0-9A-Fa-f]{1,4}"; createToken('NUMERICIDENTIFIER', '0|[1-9]\\d*'); _opword = r'(?:equ|geq|gtr)'`,
    `paths: ['users.*.password', 'users.*.credentials.apiKey'], id_challengePassword = "1.2.840.113549.1.9.7"`,
    'auth: SandboxMountAuthConfig; cfg.ClientAuth = RequireAndVerifyClientCert; PrivateKey:  testEd25519PrivateKey,',
    'exports.exchangeX509Token = exchangeX509Token; token: CachedX509Token | undefined; auth: Auth0Client',
    "password: Uint8Array, salt: Uint8Array; const apiKey = headers?.['x-goog-api-key'];",
    'password===e.type)||"textarea"===t; chr,token,open;while(!scanner.eos()){start=scanner.pos;',
    '* {@code findAllUTF8Index} is the index; extern SEC_PKCS12CertAndCRLBagTemplate;',
    'unix://[user[:password]@]/path/to/sock, [scheme://[user:passwd@]proxy.server:port]',
    "'password' => 'required|min:8',",
    'contraseña: mínimo 8 caracteres, contraseña: débil, Passwort: ungültig.',
    '密码：至少8位，パスワード：8文字以上',
    'The password is SHA-256 hashed',
    `{"type": "password", "field2x": 1}, {'a': 'PASS', 'Client-TLS12-SHA1': 'PASS'}, ['kind' => 'token', 'abc123def' => 1]`,
    '4521 3345 8812 9034 1122 7654 3321 9087 4111 1111 1111 1111 5520 1199',
    'AC825C59D8A4C453A2C4EFEA8395741CA404F3000E28D56B25D03BB402E5CB2F',
    `${'A'.repeat(40)}DAwMDAwMDAAMDAwMDAw, ${'A'.repeat(26)}wQQYDVR0fBDowODA2oDSgMoYwaHR0cDovL2Ny`,
    'sha512-zymm5+u+sCsSWyD9qNaejV3DFvhCKclKdizYaJ',
    'Recovery codes:\n10 single-use codes; error codes: e1001, e1002; backup code: main2024.py; The backup code 2024 version',
    'Recovery codes: version2 adds them; backup code: utf8mb4 dump; Recovery code: RFC6238 says; backup codes are 8digit numbers; backup code: sha256 digest; backup codes: ipv4only and more',
    'sqlplus /nolog, sqlplus / as sysdba, a thin/thick2 line, expdp user/password@db, rman/backup2; jdbc:oracle:thin:@//h:1521/x',
    'password string `json:"password"`; var token string = os.Getenv("X"); ssh-keygen -N "" -f x; <Token Value="$(x)">',
    'Mot de passe : obligatoire\nWachtwoord: verplicht\nContraseña: obligatoria\nlogin.password;Password;Passwort\n',
    String.raw`{"text":"Your password:\nmust have 8 chars","t":"Token:\nabc2 is x"}`,
    `res.cookie('sid', sessionId2, { httpOnly: true }); res.cookie('session', 'logged-out'); cookies.set('theme', 'dark2mode1')`,
    String.raw`das Passwort verglichen\&. Kein Passwort k\(:onnen; the password is locked\&. password \fIstring\fR`,
    'la contraseña\n¿Sobreescribir? 즉시 암호 지우기(_I); password PKCS#12 files',
    'pass %lu/%lu done',
    'The username and password options; username or password parameters; a username with password properties',
    'user id password settings; Username / Password (0x02); Username/Password** (`0x02`)',
    'Add salt16 to the password before hashing it; bind param2 to your token',
    'PASSWORD=$DB_PASSWORD\nPORT=3306',
    'DB_PASSWORD\nDB_PORT=5432\n',
    'pw: *db_password\nhost: db-1.internal',
    'password: username=',
    `The user is identified by 'user_id7' in the table; create a key, identified by "id7"`,
    "CREATE USER a IDENTIFIED BY '${PW}'; CREATE USER b IDENTIFIED BY '<password>'",
    'issues identified by John12',
    '["--token", "--port", "8080a1"], ["--token-type", "bearer"], ["--secret", "id=my1,src=/x"], ["--key", "value1"]',
    "INSERT INTO u (id, password) VALUES (?, ?); INSERT INTO u (id, password) VALUES (1, NULL), (2, md5('x'))",
    'INSERT INTO u (id, password, age) SELECT 1, x1y2z3, 4',
    "INSERT INTO config (key, value) VALUES ('theme', 'dark1234'); f(user, password)\nf(a1, b2); (a, password) values",
    'app --token $TOKEN --secret-file /x1/y2, vault --token-type bearer, docker build --secret id=my1,src=/x',
    'enable secret 5 $1$mERr$hx5rVt7rPNoS4wqbXKX7m0',
    'enable password reset; the community key point2; snmp-server community public RO; enable key rotation',
    'ConvertTo-SecureString "$env:PW" -AsPlainText -Force; ConvertTo-SecureString $pw -AsPlainText; echo "hello"',
    `readFile('/etc/passwd', 'utf8', callback); cat /etc/passwd: bob1x2`,
    'const auth = x509Authentication ? one : two; type Token = X509Credential | undefined',
    String.raw`jwt: /^[A-Za-z0-9-_]+\.[A-Za-z0-9-_]+$/,`,
    'SRP_user_pwd *SRP_VBASE_get1_by_user(SRP_VBASE *vb, char *username);',
    'USERNAME_PASSWORD: 0x02,\n NULL_PASSWORD = 1<<8,',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a dump of tables is read in linear time', async (t) => {
  const head = `insert into t (${'password,'.repeat(50)}x) values `
  for (const rows of [
    "('a1b2','c3d4x'),",
    "('",
    '(a,',
    '("',
    "(f('",
    "(f('a',(",
    'f(),',
    'copy t (password) from stdin;\n',
  ])
    t.ok(found(head + rows.repeat(5000)), rows)
  t.strictSame(found(`insert into t (password) values ('${'a'.repeat(3_000_000)}`), [])
  t.ok(found("insert into t (password) values ('a'), ".repeat(2000)))
})

t.test('a PuTTY key file is found whole', async (t) => {
  const lines = Array.from({ length: 3 }, () => random.text(64, ALPHANUMERIC)).join('\n')
  const file = `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: c\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 3\n${lines}\nPrivate-MAC: ${'0f'.repeat(32)}`
  t.strictSame(found(`see ${file}\nbye`), [`KEY ${file}`])
})

t.test('optional kinds are found only where they are asked for', async (t) => {
  const text =
    'Call +49 30 901820 or (555) 010-1234; IBAN DE89 3704 0044 0532 0130 00; SSN 123-45-6789; 10.1.2.3, 2001:db8::1'
  t.strictSame(found(text), [])
  t.strictSame(found(text, ['PHONE']), ['PHONE +49 30 901820', 'PHONE (555) 010-1234'])
  t.strictSame(found(text, ['IBAN', 'SSN', 'IP']), [
    'IBAN DE89 3704 0044 0532 0130 00',
    'SSN 123-45-6789',
    'IP 10.1.2.3',
    'IP 2001:db8::1',
  ])
})

t.test(
  'social security numbers have dashes or blanks, or stand undivided or in points behind their name',
  async (t) => {
    const cases: [text: string, ...expected: string[]][] = [
      ['SSN: 123456789, "ssn":"123.45.6789"', '123456789', '123.45.6789'],
      ['social security number 123456789', '123456789'],
      ['{"name":"ssn","value":"123456789"}, {"ssn": {"value": "123456789"}}', '123456789', '123456789'],
      ['"x\\n123-45-6789\\n" 123\u201345\u20136789', '123-45-6789', '123\u201345\u20136789'],
      ['123456789, class 123456789, 123.45.6789, ssn 000456789'],
    ]
    for (const [text, ...expected] of cases)
      t.strictSame(
        found(text, ['SSN']),
        expected.map((value) => `SSN ${value}`),
        text,
      )
  },
)

t.test(
  'addresses are found behind an escaped line break and whole where IPv4 stands in IPv6; numbers of sections are none',
  async (t) => {
    const text = String.raw`"a\n10.1.2.3\n2001:db8::1" ::ffff:10.9.8.7, version 1.2.3.4, section 5.6.7.8`
    t.strictSame(found(text, ['IP']), ['IP 10.1.2.3', 'IP 2001:db8::1', 'IP ::ffff:10.9.8.7'])
  },
)

t.test('custom patterns find their own kind', async (t) => {
  const pattern = { type: 'pattern' as const, findAll: () => [[2, 5] as const] }
  const { detect } = createDetector({ kinds: new Set(), custom: [{ kind: 'TICKET', pattern }] })
  t.strictSame(detect('a T-1 b'), [{ kind: 'TICKET', start: 2, end: 5, rule: 'custom' }])
})

t.test('findings are in order, inside the text and do not overlap, for any text', async (t) => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '@',
      'a@b.com',
      'password=',
      'token: "',
      '://',
      'u:p@',
      '-----BEGIN PRIVATE KEY-----',
      '4111111111111111',
      ' 4111 ',
      'sk-ant-',
      'eyJhbGciOi.',
      '\\n',
      '[[LLM_REDACTED_KEY_abcdefgh]]',
      KEY,
      '\n',
      ',',
      '"',
      "'",
      '密码是',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      let last = 0
      for (const { start, end } of detector.detect(text)) {
        if (start < last || end <= start || end > text.length) return false
        last = end
      }
      return true
    }),
    { numRuns: 400 },
  )
  t.pass()
})

t.test('a hundred thousand characters of every hostile text are read to the end', async (t) => {
  for (const [name, text] of hostileTexts(100_000)) t.ok(Array.isArray(detector.detect(`${text} a@b.com`)), name)
})

t.test('logins without a scheme, and lines of .pgpass for any port, are found', async (t) => {
  for (const [text, password] of [
    ['mysqlsh root:Xk29fPq1@localhost:3306', 'Xk29fPq1'],
    ['DSN=app_user:Xk29fPq1@10.0.0.5:5432/app', 'Xk29fPq1'],
    ['url: "app:s3cret!x@db:5432"', 's3cret!x'],
    ['root:hunter2@localhost', 'hunter2'],
    ['*:*:*:app:Xk29fPq1', 'Xk29fPq1'],
    ['db.example.com:*:appdb:app:Xk29fPq1\nx', 'Xk29fPq1'],
  ] as const)
    t.strictSame(found(text), [`KEY ${password}`], text)
  for (const text of [
    'root:*:0:0:System Administrator:/var/root:/bin/sh',
    'daemon:*:18375:0:99999:7:::',
    'arn:aws:lambda:*:123456789012:function:my-func1',
    'sip:Bob22x@10.0.0.5:5060',
    'docker pull image:v1.2A@localhost:5000',
    'npm:Foo1x@1.2.3, user:pass1@localhost, at 12:30Ab@localhost:80',
    'image: app:v12Abc@sha256:0123456789abcdef',
  ])
    t.strictSame(found(text), [], text)
  for (const piece of ['a:b1C#ddd@b:', ':*:', '*:*:*:a:', 'a:B1c!']) t.ok(found(piece.repeat(10_000)))
})

t.test('types, constants, formats, paths and packages of programs beside a telling word stay', async (t) => {
  const lineOfBase64 = `${'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa'.slice(0, 62)}`
  for (const text of [
    'upgrade passwd:amd64 1:4.13+dfsg1-1 1:4.13+dfsg1-2',
    'fmt.Fprintf(pw, "%s\\t%d\\n", name, n)',
    "user_pass = '%s:%s' % (unquote(user), x)",
    '=item B<password>\n\n=item B<token2>',
    '\tPT_PSW = 40 // left half of the PSW\n\tPT_PSW1 = 41',
    'PASSWORD=$DB_PASSWORD\nPORT2 = 3306',
    'func F(cert *ed25519.PrivateKey, secret *tls13.MasterSecret, key *mlkem.DecapsulationKey768, password *uint16)',
    '#define FS_IOC_ADD_ENCRYPTION_KEY 0xc0506617\nconst SIOCGLIFTOKEN = -0x3f879678',
    'readerPass uint32 // number of readers',
    "redact({ paths: ['user.password', 'users[0].password', 'headers[\"X-Auth-Token2\"]'] })",
    `${lineOfBase64}Pw\n${'yJiT2S0WR5ARg6I6IqIoV6Lr/sCMKKCmfecqQjuCgGOlYx8ZzHyyZqjC0203b+J+'}\n`,
  ])
    t.strictSame(found(text), [], text)
  t.strictSame(found("mysql -h db -u root -p'mY$ecretW0rd' x"), ['KEY mY$ecretW0rd'])
  t.strictSame(found('DB_PASSWORD:\n  Xk29fPq1\n'), ['KEY Xk29fPq1'])
})

t.test('versions, checksums, code of Go and names of several words stay', async (t) => {
  const sum = 'Gq8Tq1cMkWGFnhY4m0r9vS2pXx1dT5eQkZb7nYlJr3uHc6iKf8oWzPaVtLsDyEbN2rUmCqXgF4hTjS1wIe9'
  for (const text of [
    '"parse-passwd": "^1.0.0",\n"jwt": "~9.0.2",\n"password-validator": ">=5.3.0"',
    `  integrity sha512-${sum}Pw==\n\nbrace-expansion@^1.1.7:\n  version "1.1.11"`,
    `github.com/a/b v1.0.0 h1:${sum.slice(0, 41)}Pw=\ngo.yaml.in/yaml/v3 v3.0.5/go.mod h1:HVTZu1O7/Vkt2N+BFy8Zza`,
    'Password *OauthFlow `protobuf:"bytes,2,opt,name=password,proto3" json:"password,omitempty"`',
    'Token string `protobuf:"bytes,2,opt,name=starting_token,json=startingToken,proto3"`',
    'out.ImagePullSecrets = *(*[]core.LocalObjectReference)(unsafe.Pointer(&in.ImagePullSecrets))',
    'secret := o.(*v1.Secret)\nretCreds = &creds[0]\npass := !isEmpty(object2)',
    'config.Credentials = StubCredentialsProvider{}\nSecret: Bug4Secret{1},',
    'bootstrapsecretutil "k8s.io/klog/v2"\nsecret "k8s.io/kubernetes/pkg/registry/authorization/localsubjectaccess"',
    'strings.Trim(passwd, "\\x00"), fmt.Fprint(pw, "Node\\tVersion2\\n")',
    'root-password: "{{ .Values.root.password | b64enc }}"',
    '"operationId": "patchAdmissionregistrationV1alpha1MutatingAdmissionPolicyBinding"',
    'return b.signalContainerShutdownV2(ctx) || s.shouldConfigureHTTP2ForServe()',
    'len(result.OfWebSearchToolResult.Content.OfWebSearchToolResultBlockItem) != 1',
    'CreditToken BetaMessageNewParamsFallbackCreditTokenUnion `json:"token,omitzero"`',
    'Secret *SecretProjectionApplyConfiguration `json:"secret,omitempty"`',
    'cfg.ClientAuth = VerifyClientCertIfGiven',
    'if len(key) != AES128GCMKeySize && len(key) != Chacha20Poly1305KeySize {',
    'generated private key `Kexample.org+013+45330.private`',
  ])
    t.strictSame(found(text), [], text)
  for (const [text, key] of [
    ['JWT_SECRET=MySuperSecretKey2024', 'MySuperSecretKey2024'],
    ['VAULT=s.aB3dE6gH9jKl2mNo5pQr8sTu', 's.aB3dE6gH9jKl2mNo5pQr8sTu'],
    ['if password == "hunter2x":', 'hunter2x'],
    ['"password": "1.2hunter"', '1.2hunter'],
  ] as const)
    t.strictSame(found(text), [`KEY ${key}`], text)
})

t.test('of a private key without its last line, headers and the empty line below them are no end', async (t) => {
  const body =
    'lQHYBE2rFNoBBADFwqWQIW/DSqcB4yCQqnAFTJ27qS5AnB46ccAdw3u4Greeu3Bp\nidpoHdjULy7zSKlwR1EA873dO/k/e11Ml3dlAFU'
  for (const headers of [
    'Version: GnuPG v2\nComment: of Bob, 2024',
    'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,7487BB8910A3',
  ])
    for (const kind of ['RSA PRIVATE KEY', 'PGP PRIVATE KEY BLOCK']) {
      const key = `-----BEGIN ${kind}-----\n${headers}\n\n${body}`
      t.strictSame(found(`${key}\n\nand more words below it`), [`KEY ${key}`])
      const escaped = JSON.stringify({ key })
      t.strictSame(found(escaped), [`KEY ${JSON.stringify(key).slice(1, -1)}`])
      const quoted = key.replaceAll(/^/gm, '> ').replaceAll('> \n', '>\n')
      t.strictSame(found(quoted), [`KEY ${quoted.slice(2)}`])
    }
  t.strictSame(
    found('-----BEGIN RSA PRIVATE KEY-----\nNote: this is the first line\n\nand here are words about it'),
    [],
  )
  t.ok(found('-----BEGIN RSA PRIVATE KEY-----\nA-b: c\n'.repeat(5000)))
})

t.test('where a store keeps a secret stays', async (t) => {
  for (const text of [
    'password: secret/data/prod/db2',
    'DB_PASSWORD: vault:secret/data/accounts/db#DB_PASSWORD2',
    'secret: projects/123/secrets/db-pass1/versions/2',
    'password: ENC[AES256_GCM,data:p673w==,iv:YY=,aad:UQ=,tag:A=]',
    'password: @Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/s1)',
  ])
    t.strictSame(found(text), [], text)
})

t.test('passwords that programs write in logs and dumps, and tests type into fields, are found', async (t) => {
  for (const [text, password] of [
    ['["user"]=> string(3) "app" ["password"]=>\n  string(8) "vbn45TYU"', 'vbn45TYU'],
    ['ldap_default_authtok = c0ntr4s3na9', 'c0ntr4s3na9'],
    ['WiFi.begin("home", "Ed5rTg8y");', 'Ed5rTg8y'],
    ['WiFi.begin(ssid, "swordfish");', 'swordfish'],
    ["cy.get('#password').type('Oi8uYt4r')", 'Oi8uYt4r'],
    ['driver.find_element(By.NAME, "password").send_keys("Nv5cXz2l")', 'Nv5cXz2l'],
    ["await page.getByLabel('Password').fill('Qa3zWs6x');", 'Qa3zWs6x'],
    ['Password (staging) → Ax8sZd3f', 'Ax8sZd3f'],
    ['A temporary password is generated for root@localhost: Iv5bOc8n', 'Iv5bOc8n'],
    ['Please use the following password to proceed to installation:\n\n1f2e3d4c5b6a7988', '1f2e3d4c5b6a7988'],
    ['PASSWORD?=Lw2eKq7r', 'Lw2eKq7r'],
  ] as const)
    t.strictSame(found(text), [`KEY ${password}`], text)
  for (const text of [
    'WiFi.begin(ssid, password); WiFi.begin("ssid", "your_password"); WiFi.begin("x", "WIFI_PASSWORD")',
    "cy.get('#password').type(user.password2); getByLabel('Password').fill('password')",
    'password required pam_unix.so use_authtok sha512 shadow',
    'the token is generated for user2: see below',
  ])
    t.strictSame(found(text), [], text)
})
