import t from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })
const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

t.test('a label may end behind its sign', async (t) => {
  for (const text of [
    '- **Password:** Bluebird#7\n- **Host:** db.internal',
    '*Password:* Bluebird#7',
    '__Password:__ Bluebird#7',
    '**Password:** `Bluebird#7`',
    '**Passwort:** **Bluebird#7**',
    '**Password:**\nBluebird#7\n',
    '<b>Password:</b> Bluebird#7',
    '<p><strong>Password:</strong> <code>Bluebird#7</code></p>',
    '<tr><td><b>Password:</b></td><td class="v">Bluebird#7</td></tr>',
    '<dt>Password:</dt>\n<dd>Bluebird#7</dd>',
  ]) {
    t.strictSame(found(text), ['Bluebird#7'], text)
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), ['Bluebird#7'], escaped)
  }
  t.strictSame(found('- **API key:** `a1B2c3D4e5F6g7H8i9J0k1L2`'), ['a1B2c3D4e5F6g7H8i9J0k1L2'])
  for (const text of [
    '**Password:** Your account password (min. 8 characters)\n**Token:** the OAuth2 token\n**Key:** `user_id` (int64)',
    '**Password:** *required*, **Password:** _string_, **Auth:** OAuth2, **Token:** JWT (RS256), **Password:** ********',
    '<b>Password:</b> required<br><b>Token:</b> see below<p><strong>Password:</strong> at least 8 characters</p>',
    '<td>Password:</td><td><input name="pw1"></td><label>Password:</label> <input name="pw1">',
    '**Pass:** 12/12, **Fail:** 0',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a value is found in an element, and in a block of code', async (t) => {
  for (const text of [
    '<p>Benutzer: <b>weiss</b><br>Passwort: <b>Bluebird#7</b></p>',
    'Password: <span style="color:red">Bluebird#7</span>',
    '<td>Password:</td>\n<td><b>Bluebird#7</b></td>',
    'Password:\n```\nBluebird#7\n```',
    '**Password:**\n\n```text\nBluebird#7\n```',
    'The password for the VPN is:\n\n```\nBluebird#7\n```',
    'Das neue Passwort lautet:\n\n```text\nBluebird#7\n```',
    'Your new password is:<br><b>Bluebird#7</b>',
    '<strong>Password:</strong><br/>\nBluebird#7',
    '<p>Password:</p>\n<pre>Bluebird#7</pre>',
    '<div>Password:</div><div>Bluebird#7</div>',
    'The password is:\nBluebird#7\n',
    '<p>Your password is:</p>\n<pre>Bluebird#7</pre>',
    '<p>Your password is:</p>\n<pre><code class="language-text">Bluebird#7\n</code></pre>',
    'PASSWORD:<BR>Bluebird#7<BR>',
    'My password is ```Bluebird#7```, is it strong?',
    'Password: ``Bluebird#7``',
    'The password is:\n\n~~~\nBluebird#7\n~~~',
    '<b>Password:</b>&nbsp;Bluebird#7',
    'Password&nbsp;:&nbsp;<b>Bluebird#7</b>',
    'Password\u3000：\u3000Bluebird#7',
    'Password:\nBluebird#7\nRegards',
    "Here's the password for staging:\nBluebird#7\nRegards",
    '["password"]=> string(10) "Bluebird#7"',
  ]) {
    t.strictSame(found(text), ['Bluebird#7'], text)
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), ['Bluebird#7'], escaped)
  }
  for (const text of [
    'Password: <b>required</b>, Passwort: <b>mindestens 8 Zeichen</b>, Password: <span className="x1">{pw}</span>',
    'API key:\n\n```bash\nexport X1=2\n```\nPassword:\n```js\nconst a1 = 2\n```',
    'Reset the password:\n\n```bash\npython3 manage.py changepassword bob\n```\nSet the token:\n```ini\n[client-5.7]\ntoken=x\n```',
    'The password for a user is:\n```\nmysql8 -u root\n```\n<p>Password:<br>\n<input type="password" name="p1"></p>',
    '<p>Password:</p>\n<pre>python3 manage.py x</pre><p>The password is:</p><pre><code>mysql8 -u root\n</code></pre>',
    'Password:&nbsp;required, Password:&nbsp;<input type="password" name="p1">, Password:<BR>REQUIRED<BR>',
    'env:\n  DB_PASSWORD:\n  DB_PORT2: 5\nsecrets:\ndb2-creds',
    "[sudo] password for bob: \nbob@host3:~$ ls\nbob@host1's password:\nroot@host-5:/var/log# ls\nPassword:\nbob2@mac ~ % ls",
    'The password is:\n\n```bash\npython3 manage.py x2\n```\nPassword: ```sh\nuseradd -m bob2\n```',
    'My password is:\n~~~bash\npython3 manage.py\n~~~\nPassword is ```required```, password: ```js\nconst a1 = 2\n```',
    "Enter passphrase for key '/home/bob/.ssh/id_rsa':\nroot@10.0.0.4's password:\nroot@host-5:~# ls",
    'Password:\nC:\\Users\\bob2>dir',
    'Password:\nsh-5.1$ whoami\nPassword:\nrouter1> enable\nPassword:\nrouter1#show version\nPassword:\nsw-02(config)#exit',
    'Enter PEM pass phrase:\n8A0C:error:0909006C:PEM routines:get_name:no start line',
    'DB_PASSWORD:\nDB_PORT2: 5\n  password:\n  token2:\n    a: b',
  ]) {
    t.strictSame(found(text), [], text)
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), [], escaped)
  }
})

t.test('a value is found in the cell beside its name', async (t) => {
  for (const text of [
    '<tr><td>Password</td><td>Bluebird#7</td></tr>',
    '<tr><th>Passwort</th>\n  <td class="x"><code>Bluebird#7</code></td></tr>',
    '<dt><b>Password</b></dt><dd>Bluebird#7</dd>',
    '<tr>\n<td>\n  Password\n</td>\n<td>\n  Bluebird#7\n</td>\n</tr>',
    '<dt>\n  Password\n</dt>\n<dd>Bluebird#7</dd>',
    '<tr>\n        <td class="k">Password</td>\n        <td class="v">\n            Bluebird#7\n        </td>\n</tr>',
  ]) {
    t.strictSame(found(text), ['Bluebird#7'], text)
    const escaped = JSON.stringify({ text })
    t.strictSame(found(escaped), ['Bluebird#7'], escaped)
  }
  for (const text of [
    '<tr><th>Password</th><th>Role2x</th></tr><td>password</td><td>VARCHAR(255)</td><td>token</td><td>uint256</td>',
    '<td>Password</td><td><input name="pw1"></td><td>Password</td><td>SHA256 hash</td><td>Password Reset</td><td>v2.1.3</td>',
    '<td>\n  Password\n</td>\n<td>\n  <input name="pw1">\n</td><td>\n  Password\n</td>\n<td>\n  SHA256 hash\n</td>',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a value is found behind what languages of programs and prose put between', async (t) => {
  for (const text of [
    'const char password[] = "Gast2026!x";',
    'password <- "Gast2026!x"',
    'Dim password As String = "Gast2026!x"',
    "password varchar(64) := 'Gast2026!x';",
    "DECLARE @password NVARCHAR(64) = N'Gast2026!x';",
    "v_password VARCHAR2(64 CHAR) := 'Gast2026!x';",
    "p_password IN VARCHAR2 := 'Gast2026!x'",
    "c_password CONSTANT VARCHAR2(30) NOT NULL := 'Gast2026!x';",
    "DECLARE @pw AS NCHAR(16) = N'Gast2026!x'",
    "DECLARE p_password CHAR(20) DEFAULT 'Gast2026!x';",
    "password character varying(64) NOT NULL DEFAULT 'Gast2026!x'",
    'SELECT \\"password VARCHAR(64) := \\\\\\"Gast2026!x\\\\\\"\\"',
    "The password for Bob's laptop is Gast2026!x",
    "Le mot de passe de l'utilisateur est Gast2026!x",
    "The password to O'Brien's account: Gast2026!x",
    "La password dell'utente è Gast2026!x",
    "La password per l'accesso all'area riservata è Gast2026!x",
    'Le mot de passe d\u2019accès au VPN est Gast2026!x',
    "Le mot de passe à l'accueil : Gast2026!x",
    'Пароль до сервера: Gast2026!x',
    'The password for `billing` is `Gast2026!x`',
    'Password for "bob": Gast2026!x',
    "Password for 'https://bob@example': Gast2026!x",
    'Mot de passe : « Gast2026!x »',
    'Le mot de passe est «\u00a0Gast2026!x\u00a0».',
    '<password encrypted="false">Gast2026!x</password>',
    'Password(s): Gast2026!x',
    'Password [prod]: Gast2026!x',
    'Password #1: Gast2026!x',
    'Root password changed to Gast2026!x',
  ])
    t.strictSame(found(text), ['Gast2026!x'], text)
  t.strictSame(found('API-Schlüssel: 9f8e7d6c5b4a3928'), ['9f8e7d6c5b4a3928'])
  for (const name of ['Lizenzschlüssel', 'LIZENZSCHLUESSEL', 'Produktschlüssel', 'Ihr Aktivierungsschlüssel lautet'])
    t.strictSame(found(`${name}: VK7JG-NPHTM-C97JM-9MPGT-3V66T`), ['VK7JG-NPHTM-C97JM-9MPGT-3V66T'])
  for (const name of ['Netzwerksicherheitsschlüssel', 'Netzwerkschlüssel', 'Zugangsschlüssel'])
    t.strictSame(found(`${name}: 9f8e7d6c5b4a3928`), ['9f8e7d6c5b4a3928'])
  t.strictSame(found('ŞİFRE: Gast2026!x, ŞİFRENİZ: Gast2026!x'), ['Gast2026!x', 'Gast2026!x'])
  for (const text of [
    'char password[32] = {0}; char pw[] = PASSWORD2; password[i] = buf[j2]; token <- tokens2; password text NOT NULL',
    '<code class="output">BZ2_bzBuffToBuffDecompress</code>, <token attr="1">abc</token>, <password type="x" hint="x2y">',
    'Password(s): required, password [optional]: string, Password #2: required, password set to expire in 90days',
    "The password for Bob's account is argon2id-hashed, password changed to argon2id, DECLARE @password VARCHAR(64) = ''",
    'the password for "admin" is "required", password for `user2` must be set, key for \'users2\' is \'user_id2\'',
    "La password dell'utente è scaduta, le mot de passe d'accès est requis, no password for 'user2': not found",
    "password CHAR(60) NOT NULL DEFAULT 'none', token VARCHAR(36) DEFAULT 'uuid()', password TEXT DEFAULT NULL",
    'Produktschlüssel: ART-2024-0001, Netzwerkschlüssel: mindestens 8 Zeichen, Produktschlüssel: Windows11',
    'Primärschlüssel: id_user2, Fremd-Schlüssel: kunde_id2',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a password is found behind the name of the host, page or thing that it opens', async (t) => {
  for (const thing of [
    'for 10.0.0.5',
    'for db1.corp.example.org:5432',
    'of www.example.org',
    'for https://portal.example.org:8443/login?a=b',
    'for [the portal](https://portal.example.org/login)',
    'for "Lab 2"',
    "for 'bob' on 'host2'",
    'for bob on host2',
    '@ db1',
    '@10.0.0.5',
    'wifi',
    'VPN',
  ])
    for (const text of [`The password ${thing} is Gast2026!x`, `Password ${thing}: Gast2026!x`]) {
      t.strictSame(found(text), ['Gast2026!x'], text)
      t.strictSame(found(JSON.stringify(text)), ['Gast2026!x'], text)
    }
  for (const text of [
    'Salasana on Gast2026!x ja se toimii',
    'Пароль на вход: Gast2026!x',
    'Парола за достъп: Gast2026!x',
    'Heslo k databázi: Gast2026!x',
    'Lösenord till wifi: Gast2026!x',
    'Passwort fürs WLAN: Gast2026!x',
    'Κωδικός για το wifi: Gast2026!x',
  ])
    t.strictSame(found(text), ['Gast2026!x'], text)
  for (const text of [
    'The password for 10.0.0.5 is required, the token for www.example.org is v2.1, password for https://x.example.org/y: see 1Password',
    'Password on host2 is not set, password on bob2: wrong, the password for "step 2" and "step 3" is the same as in step2_token',
    'Password admin: see 1Password; password server: ldap2.corp.example.org; token for gpt-4.1: 128k tokens',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a password below its label may hold the sign of a prompt', async (t) => {
  for (const password of ['Gast2026#', 'Gast2026$x', 'Gast2026#shower'])
    t.strictSame(found(`Password:\n${password}\n`), [password])
})

t.test('a password is found in the element of one word behind the one that its name stands in', async (t) => {
  for (const text of [
    '<div>Password</div><div>Gast2026!x</div>',
    '<p class="k">Password</p>\n<p class="v">Gast2026!x</p>',
    '<span class="label">Password</span><span class="value">Gast2026!x</span>',
    '<label>Password</label> <b>Gast2026!x</b>',
    '<li>Password <code>Gast2026!x</code></li>',
  ])
    for (const written of [text, JSON.stringify(text)]) t.strictSame(found(written), ['Gast2026!x'], written)
  for (const text of [
    '<div>Password</div><div>v2.1</div><b>Token</b> <code>user_id2</code><code>password</code> <code>string(255)</code>',
    '<label>Password</label><div class="hint">8-16</div><label>Password</label><div>Use 8+ characters</div><h3>Token</h3><p>OAuth2-based</p>',
    '<span class="n">password</span> <span class="n">get_pw2</span><span class="n">token</span> <span class="mi">12345</span>',
    '<code>password</code> <em>(required)</em>, <code>password</code> <code>password_2</code>, <span>Password</span><span>*</span>, <div>Password</div><div>8+&nbsp;chars</div>',
  ])
    t.strictSame(found(text), [], text)
})

t.test('what is found in code and YAML is found where these stand in JSON', async (t) => {
  for (const text of [
    'char password[] = "Gast2026!x";',
    'password <- "Gast2026!x"',
    'password = """Gast2026!x"""',
    'db:\n  password: >-\n    Gast2026!x\n  port: 5432',
    'password: |\n  Gast2026!x\nport: 5432',
  ])
    for (const written of [text, JSON.stringify(text), JSON.stringify(JSON.stringify(text))])
      t.strictSame(found(written), ['Gast2026!x'], written)
  for (const text of ['password = """', 'password <- "', 'char password[] = "";', 'password: >-\n  see README2.md'])
    t.strictSame(found(JSON.stringify(text)), [], text)
})

t.test('a password is found behind arrows, dotted lines and words that say that it follows', async (t) => {
  for (const text of [
    'Password ➜ Gast2026!x',
    'Password ⇒ Gast2026!x',
    'Password ➡️ Gast2026!x',
    'Password 👉 Gast2026!x',
    'The password for the VPN ➔ Gast2026!x',
    'User..........: bob\nPassword......: Gast2026!x',
    'The password for the PDF is the following: Gast2026!x',
    'The password is as follows:\nGast2026!x',
    'Das Passwort lautet wie folgt: Gast2026!x',
    'Le mot de passe est le suivant : Gast2026!x',
    'La contraseña es la siguiente: Gast2026!x',
    'creds -> admin / Gast2026!x',
    'creds => bob / Gast2026!x',
  ])
    t.strictSame(found(text), ['Gast2026!x'], text)
  for (const text of [
    'Password ➜ see 1Password, token ⇒ OAuth2, Settings ➜ Password ➜ Change',
    'The password is the following hash, the token is below 8kB, the password is here to stay since v2.1',
    'Password......... 8 to 16 characters, password...: required',
    'login -> home / profile, Login - Sign up / Register, credentials -> user1 / password',
    'Login - Dashboard / Reports2024, Credentials → Settings / API-Keys2',
    'Login: POST /api/v1/login, login -> PUT /user/login1, Login:\nGET /v1/login2',
  ])
    t.strictSame(found(text), [], text)
})

t.test('a password is found in the call that makes a hash or a text of it', async (t) => {
  for (const text of [
    "UPDATE users SET password = MD5('Gast2026!x') WHERE id = 7",
    "INSERT INTO users SET name = 'bob', password = SHA2('Gast2026!x', 256)",
    "SET PASSWORD = PASSWORD('Gast2026!x')",
    "password: bcrypt.hashSync('Gast2026!x', 10),",
    "password: await bcrypt.hash('Gast2026!x', 10),",
    "'password' => Hash::make('Gast2026!x'),",
    "'password' => bcrypt('Gast2026!x'),",
    'password=generate_password_hash("Gast2026!x")',
    'password = make_password("Gast2026!x")',
    'password = bcrypt.hashpw(b"Gast2026!x", bcrypt.gensalt())',
    'let password = String::from("Gast2026!x");',
    'String password = new String("Gast2026!x");',
    'password: SecretStr = SecretStr("Gast2026!x")',
    'password = urllib.parse.quote_plus("Gast2026!x")',
    'user.password = passwordEncoder.encode("Gast2026!x")',
    'String password = new BCryptPasswordEncoder().encode("Gast2026!x");',
    'const password = Buffer.from("Gast2026!x", "utf8")',
    'let password = std::string::String::from("Gast2026!x");',
  ])
    for (const written of [text, JSON.stringify(text)]) t.strictSame(found(written), ['Gast2026!x'], written)
  for (const text of [
    'password = hash("sha512", $password); token = hash("whirlpool", $data); key = md5("user-list-v2"); token = sha1("page")',
    "password = md5(password2), password: Hash::make($request->password), token = String(token2), password: str('password')",
    "password = os.getenv('DB_PASSWORD2'), password: config.get('db.password2'), password = vault.read('secret/db2')",
    "key: Buffer.from('key', 'utf8'), secret: String.raw('x2'), password: faker.internet.password({ length: 20 })",
    `password = password.encode("latin1"); password = password.encode('cp1252'); secret = secret.encode("utf_16_le")`,
    `token = await db.from('tokens_v2'), password = query.from("users2"), let token = Array.from("abc123")`,
    String.raw`$token = Mockery::make('App\Token2'), password = factory.make("password2"), hash = crypto.hash("blake2b512", password)`,
  ])
    t.strictSame(found(text), [], text)
})

t.test('a name that a secret is for ends with its line, in a text inside JSON too', async (t) => {
  for (const text of [
    'You need a password for the build.\nVersion: beta4-x2',
    'Reset the password for the user.\n\nBranch: fix/login-2',
    'Create a token for the server\r\nRegion: eu-west-1a',
    '// reads the token for the user.\nconst id = "user12345"',
  ])
    for (const written of [text, JSON.stringify(text), JSON.stringify(JSON.stringify(text))])
      t.strictSame(found(written), [], written)
  for (const text of ['The password for ACME\\bob is Bluebird#7', 'password for acme\\svc.sql: Bluebird#7'])
    for (const written of [text, JSON.stringify(text)]) t.strictSame(found(written), ['Bluebird#7'], written)
})
