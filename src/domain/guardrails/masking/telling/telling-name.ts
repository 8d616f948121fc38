/**
 * Names that tell that a secret follows: `DB_PASSWORD`, `apiKey`, `x-auth-token`, `Passwort`, `密码`.
 * A name is split into its parts (case, dashes, underscores); the last part decides, what stands before it can take it back
 * (`primary_key`, `max_tokens`, `passwordField`).
 */
import { ORACLE } from '../secrets/oracle-login.ts'
import { CODES } from '../secrets/recovery-codes.ts'
import { COMMUNITY, USER } from '../secrets/router-credential.ts'
import { IDENTIFIED } from '../secrets/sql-credential.ts'
import { WIFI } from '../secrets/wifi-code.ts'
import { DASH, DOT, escapeLengthAt, FOREIGN_LETTER, skipBack, unitAt, WORD } from '../character-classes.ts'

/** `password`: a short value will do. `secret`: needs to look generated. `weak`: needs to look generated, long, and no hash. */
export type Telling = 'password' | 'secret' | 'weak'

/** Ends of a name's last part. */
const PASSWORD_ENDINGS = words(
  'password passwords passwd lösenordet losenordet passwort passw passphrase passcode pwd pswd pword kennwort losungswort contraseña contrasena contrasenha clave senha palavrapasse motdepasse mdp wachtwoord hasło haslo parola parole parolam şifre sifre şifrem şifreniz şifresi lösenord losenord adgangskode adgangskoden passord passordet salasana salasanani jelszó jelszo jelszavam heslo lozinka пароль пароля парола паролем סיסמה סיסמא katasandi पासवर्ड รหัสผ่าน κωδικός',
)
const SECRET_ENDINGS = words(
  'secret secrets token apikey apikeys accesskey secretkey authkey privatekey privkey signingkey encryptionkey masterkey accountkey sharedkey servicekey licensekey appkey clientkey storagekey subscriptionkey sshkey webhookkey deploykey cryptkey geheimnis credential credentials zugangsdaten anmeldedaten identifiants lizenzschlüssel lizenzschluessel produktschlüssel produktschluessel aktivierungsschlüssel aktivierungsschluessel zugangsschlüssel netzwerkschlüssel netzwerksicherheitsschlüssel credenciales credenziali credenciais ключ токен jeton',
)
/** A name's whole last part. */
const PASSWORD_WORDS: ReadonlySet<string> = new Set(
  words(
    'pass pw psw psk sshpass passe sandi المرور السر عبور userpass requirepass masterauth dbpass storepass keypass passin passout mypass rootpw bindpw ldappass smtppass authtok',
  ),
)
const SECRET_WORDS: ReadonlySet<string> = new Set(
  words(
    'ssws creds cred bearer pat jwt otpauth apitoken seed mnemonic auth authorization sas xsrf sessionkey jsessionid phpsessid aspxauth',
  ),
)
const WEAK_WORDS: ReadonlySet<string> = new Set(
  words(
    'basic api key keys session sessionid sessid sid cookie sig signature salt dsn pin otp code login clé cle llave chave chiave schlüssel schluessel sleutel',
  ),
)
/** Ends of a name, without what parts it, of a wallet's words. */
const WALLET = /(?:seed|recovery|mnemonic|backup|wallet)(?:phrase|words)$/
const PASSWORD_PARTS = new RegExp(`(?:${PASSWORD_ENDINGS.join('|')})$`)
const SECRET_PARTS = new RegExp(`(?:${SECRET_ENDINGS.join('|')})$`)
/** Vietnamese for a password, of which the second word alone is also of other things (`nhập khẩu`, import). */
const OF_TWO_WORDS = /^mậtkhẩu$/
/** Of which the part before tells what they open. */
const KEYS: ReadonlySet<string> = new Set(words('key keys schlüssel schluessel sleutel'))
/** Parts before `key` that make a secret of it. */
const SECRET_KEYS: ReadonlySet<string> = new Set(
  words(
    'api access secret private app application auth account signing sign encryption encrypt decryption validation license licence activation service storage master client shared subscription consumer deploy webhook integration admin server root ssh user rest write hmac aes rsa crypto crypt jwt session cookie instrumentation ingest ingestion personal project org live prod production test developer dev vendor partner merchant publishable management wpa wpa2 wpa3 wifi wlan primary1 vault openai anthropic cohere mistral azure aws gcp google github gitlab stripe twilio datadog algolia sendgrid mailgun mailchimp heroku cloudflare huggingface groq gemini deepseek replicate perplexity together pinecone langsmith elevenlabs',
  ),
)
/** Parts before the last that take back what it says. */
const NO_KEYS: ReadonlySet<string> = new Set(
  words(
    'public primary foreign sort partition cache idempotency site translation row object hash map hot shortcut i18n unique index group routing dedup deduplication message event record field arrow enter escape shift ctrl control alt function composite natural surrogate candidate lookup search config settings dictionary dict json property attribute column tab home end delete range lock locale react list query storageobject s3 blob file image avatar',
  ),
)
const NO_TOKENS: ReadonlySet<string> = new Set(
  words(
    'next page continuation cursor max min num total prompt completion input output eos bos pad unk mask sep stop end start special lexer parser syntax parse design color budget count per cancellation cancel identifier sync redaction',
  ),
)
const NO_PASSES: ReadonlySet<string> = new Set(
  words(
    'boarding season render first second single multi by one two ski hall low high forward backward all will mountain tests',
  ),
)
/** Parts after the telling one that change nothing. */
const SUFFIXES: ReadonlySet<string> = new Set(
  words(
    'value val env prod production dev development staging stage stg test testing live default plain plaintext text string str base64 b64 encoded encrypted raw old new current prev previous backup bak temp tmp main header hdr confirm confirmation again repeat primary secondary local base data phrase',
  ),
)

const LONGEST_NAME = 96

function words(list: string): string[] {
  return list.split(' ')
}

/** What an identifier or word tells about the value that follows it. */
export function classifyName(name: string): Telling | undefined {
  if (name.length < 2 || name.length > LONGEST_NAME) return undefined
  const parts = splitName(name)
  const lastTwo = parts.slice(-2).join('')
  if (WALLET.test(lastTwo)) return 'secret'
  if (OF_TWO_WORDS.test(lastTwo)) return 'password'
  while (parts.length > 1 && isSuffix(parts.at(-1) ?? '')) parts.pop()
  const last = (parts.at(-1) ?? '').replace(/\d{1,3}$/, '')
  return classifyParts(last, parts.at(-2) ?? '', parts.at(-3) ?? '')
}

function isSuffix(part: string): boolean {
  return SUFFIXES.has(part) || /^(?:v?\d{1,4})$/.test(part)
}

function classifyParts(last: string, previous: string, beforeThat: string): Telling | undefined {
  if (PASSWORD_PARTS.test(last)) return 'password'
  if (PASSWORD_WORDS.has(last)) return NO_PASSES.has(previous) ? undefined : 'password'
  if (KEYS.has(last)) {
    if (NO_KEYS.has(previous)) return undefined
    return SECRET_KEYS.has(previous) || SECRET_KEYS.has(beforeThat) ? 'secret' : 'weak'
  }
  if (SECRET_PARTS.test(last) || SECRET_WORDS.has(last)) return NO_TOKENS.has(previous) ? undefined : 'secret'
  return WEAK_WORDS.has(last) || (last === 'id' && previous === 'session') ? 'weak' : undefined
}

/** What the whole name of a field tells, in any script; most names are asked for their last letters only. */
export function classifyFieldName(name: string): Telling | undefined {
  if (name.length > LONGEST_NAME) return undefined
  if (mayTell(name, name.length) || STEM.test(name)) return classifyName(name)
  return classifyIdeographs(name, name.length)
}

const PLAIN_NAME = /^[a-z]+$/

/** Of `İ`, whose small letter is an `i` and this. */
const DOT_OF_LARGE_I = '\u0307'

function splitName(name: string): string[] {
  if (PLAIN_NAME.test(name)) return [name]
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(DOT_OF_LARGE_I, '')
    .split(/[\s_.:/\\-]+/)
    .filter((part) => part !== '')
}

/** Ends of calls with a secret among their arguments. @see call-credential.ts */
const OF_CALLS = words('jwt getconnection pdo mysqli connect createhmac')
/** They tell by the word before them only. */
const PHRASE = 'phrase'
const KHAU = 'khẩu'

/** A word of letters ends with one of them where it may tell. */
export const TELLING_WORDS: readonly string[] = [
  ...PASSWORD_ENDINGS,
  ...SECRET_ENDINGS,
  ...PASSWORD_WORDS,
  ...SECRET_WORDS,
  ...WEAK_WORDS,
  PHRASE,
  KHAU,
  IDENTIFIED,
  COMMUNITY,
  USER,
  WIFI,
  ...OF_CALLS,
  ...ORACLE,
  ...CODES,
]
/** A shorter word is no end of a longer one in another script. */
const SHORTEST_ENDING = 4
const BY_LAST_THREE = Map.groupBy(TELLING_WORDS, (word) => lastThree(word, word.length))
const LAST_TWO = 0xffff
/** `pw`, which ends names of every kind. */
const PW = lastThree('pw', 2) & LAST_TWO

/** The last three letters before `end` as one number, in any case. */
function lastThree(text: string, end: number): number {
  return (smallAt(text, end - 3) << 16) ^ (smallAt(text, end - 2) << 8) ^ smallAt(text, end - 1)
}

/** The small letter of the one at `at`: in ASCII they differ in one bit, in other alphabets (`П`, `Ş`) as each has it. */
function smallAt(text: string, at: number): number {
  const unit = unitAt(text, at)
  return unit < 0x80 ? unit | 0x20 : String.fromCharCode(unit).toLowerCase().charCodeAt(0)
}

/** Whether the word that ends at `end` ends with a telling word, in any case. */
export function mayTell(text: string, end: number): boolean {
  const last = lastThree(text, end)
  if ((last & LAST_TWO) === PW) return true
  const candidates = BY_LAST_THREE.get(last)
  return (
    candidates !== undefined &&
    candidates.some((word) => endsWith(text, end, word) && isWordOrCompound(text, end, word))
  )
}

/** A short word that follows a letter beyond ASCII is the end of some other word. */
function isWordOrCompound(text: string, end: number, word: string): boolean {
  return word.length >= SHORTEST_ENDING || unitAt(text, end - word.length - 1) < 0x80
}

function endsWith(text: string, end: number, word: string): boolean {
  for (let back = 1; back <= word.length; back++) {
    if (smallAt(text, end - back) !== word.charCodeAt(word.length - back)) return false
  }
  return true
}

/** A name like `x-api-key`, read back from its last word. */
export const LONGEST_READ_BACK = 80

/** Whether the word that ends at `end` ends with `ey`: a key. */
export function isKeyWord(text: string, end: number): boolean {
  return (unitAt(text, end - 1) | 0x20) === 0x79 && (unitAt(text, end - 2) | 0x20) === 0x65
}

/** Where the name begins whose last word is `[start, end)`: `x-api-key`, `spring.datasource.password`, `API key`, `seed phrase`; behind an escape that it tells without (`\npass`, no `\token`). */
export function nameStart(text: string, start: number, end: number): number {
  const from = withWordBefore(text, start, end)
  const behind = Math.min(from + escapeLengthAt(text, from), end)
  return behind > from && classifyName(text.slice(behind, end)) !== undefined ? behind : from
}

function withWordBefore(text: string, start: number, end: number): number {
  const from = skipBack(text, start, end - LONGEST_READ_BACK, WORD | DASH | DOT)
  if (unitAt(text, from - 1) !== 0x20) return from
  if ((unitAt(text, end - 1) | 0x20) !== 0x79 && !endsWith(text, end, PHRASE) && !endsWith(text, end, KHAU)) return from
  const previous = skipBack(text, from - 1, from - 1 - 24, WORD | FOREIGN_LETTER | DASH)
  return previous < from - 1 ? previous : from
}

/** A longer name with one of them may tell in spite of its last letters. */
export const TELLING_STEMS: readonly string[] = words(
  'pass pwd secret token key cred auth senha clave парол seed mnemonic recovery',
)
const STEM = new RegExp(TELLING_STEMS.join('|'), 'i')

/** Whether a longer name may tell in spite of its last letters: `password1`, `API_KEY_PROD`, `tokenValue`. */
export function mayTellBefore(text: string, start: number, end: number): boolean {
  return end - start > 4 && end - start <= LONGEST_NAME && STEM.test(text.slice(start, end))
}

/** Telling words of scripts that put no space between words, by their last character. */
const IDEOGRAPHIC_WORDS: readonly (readonly [word: string, telling: Telling])[] = [
  ['密码', 'password'],
  ['密碼', 'password'],
  ['口令', 'password'],
  ['パスワード', 'password'],
  ['暗証番号', 'password'],
  ['비밀번호', 'password'],
  ['암호', 'password'],
  ['密钥', 'secret'],
  ['密鑰', 'secret'],
  ['令牌', 'secret'],
  ['秘钥', 'secret'],
  ['トークン', 'secret'],
  ['キー', 'weak'],
  ['토큰', 'secret'],
  ['키', 'weak'],
]

export const IDEOGRAPHIC_ENDS: ReadonlySet<number> = new Set(
  IDEOGRAPHIC_WORDS.map(([word]) => word.charCodeAt(word.length - 1)),
)

/** What a word of Chinese, Japanese or Korean tells that ends at `end`. */
export function classifyIdeographs(text: string, end: number): Telling | undefined {
  if (!IDEOGRAPHIC_ENDS.has(unitAt(text, end - 1))) return undefined
  for (const [word, telling] of IDEOGRAPHIC_WORDS) if (text.startsWith(word, end - word.length)) return telling
  return undefined
}
