/** What stands where a secret's value would and is code: expressions, types, pointers. */
import { classifyName } from './telling-name.ts'

const CALL =
  /^(?:await |new |[!&*]{1,2}(?=[A-Za-z_$][\w$.]{2,}[[(]))?[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)*!?(?:\?\.(?=[[(]))?\s?(?:\(|\[|<)/
/** Literals and tags of Go: `&v1.Secret{Name`, `oauth2.Token{`, `json:"token"`. */
const LITERAL = /^(?:&[A-Za-z_][\w.]*|[A-Za-z_]\w*\.[A-Z]\w*)\{|^(?:json|yaml|xml):"\w/
/** A conversion of Go's, what it says a type is, a value without fields: `*(*[]string)(x)`, `o.(*v1.Secret)`, `Bug4Secret{1}`, `&creds[0]`. */
const OF_GO = /^\*\(\*|^[A-Za-z_]\w*(?:\.\w+)*\.\(\*?[A-Za-z]|^[A-Za-z_]\w{3,}\{(?:[A-Za-z_]\w*|\d{0,3})\}$/
/** How a field is written, in a tag of Go's: `name=password,proto3`, `json=startingToken,proto3`. */
const OF_TAG = /^(?:json=\w+,)?proto[23]\b/
/** Zeros and the like to be trimmed: `"\\x00"`. */
const ESCAPES_ALONE = /^(?:\\{1,2}(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[0nrt])){1,4}$/
const MEMBER = /^[*&]?[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+[;,)]*$/
/** What looks like a member and is a password as people make them: `Blue.Sky77`. */
const TWO_WORDS = /^[A-Z][a-z]{2,}\.[A-Z][a-z]{2,}(?:\d{2}|\d{4})$/
const ACCESS =
  /^(?:process\.env|os\.environ|os\.getenv|env\.|ENV\[|System\.getenv|config\.|settings\.|self\.|this\.|secrets\.|var\.|local\.|data\.|args\.|options\.|request\.|req\.|params\.|import\.meta)/

/** What Perl takes from a hash or a list, `$self->{password}`, and how Rust writes a borrowed text, `&str`. */
const PERL =
  /^\$\w{1,40}(?:::\w{1,40}){0,4}(?=->|\{[A-Za-z_]{2})(?:(?:->)?(?:\{[+\w]{1,40}\}|\[\w{1,40}\])){1,4}[;,)]*$/
const BORROWED = /^&(?:mut|str|String|OsStr|\[u8\]|'(?:static|[a-z_]))[,;)>\]]*$/

/** A regular expression, `/^[\\w-]+$/`; a flag among others, `0x02`, `1<<8`. */
const PATTERN = /^\/\^.*\/[dgimsuvy]{0,7}[,;)]{0,3}$/
const BIT = /^(?:0x[\dA-Fa-f]{1,4}|\d{1,2}<<\d{1,2})[uUlL]{0,3}[,;)]{0,2}$/

/** A number of 32 bits, which no secret is: `#define FS_KEY 0xc0506617`. */
const WORD_OF_FLAGS = /^-?0x[\dA-Fa-f]{5,8}[uUlL]{0,3}[,;)]{0,2}$/

/** Parts of a regular expression: `[0-9a-f]`, `(?:`, `\\d+`. */
const OF_PATTERN = /\(\?[:=!<]|\[\^?(?:[A-Za-z\d]-[A-Za-z\d]){1,4}[^\]\s]{0,8}\]|\\{1,4}[dwsDWS][*+{]/
/** What a program has become for a browser: `e.type)||"textarea"`, `token,a;while(!b.eos()){`. */
const MINIFIED = /[)\]}](?:\|\||&&|[{}])|\}\}|;(?:while|if|for|return|var|let|const|switch)\b/
/** A member or a call, without which those signs are a generated password's: chance makes hardly any. */
const IN_MINIFIED = /[\w$)\]]\.[a-z]{2,}|[a-z]{3,}\(/
/** What `printf` writes alone: `%s:%s`, `%s\n`. */
const FORMAT =
  /^(?:[^\w%]{0,4}%[-+ #0]?\d{0,3}(?:\.\d{1,3})?l{0,2}[sdiufFxXvqcegEGtTwbop](?:\\[nrt])?){1,8}[^\w%]{0,4}$/
/** Where a store or Symfony keeps it: `%env(DB_PASSWORD)%`, `secret/data/prod/db2`, `vault:secret/data/db#password`, `projects/1/secrets/db/versions/2`. */
const STORED =
  /^(?:vault:|ref\+[a-z]+:\/\/)?(?:secret|secrets|kv|kv-v2)\/[\w/.-]{1,200}(?:#[\w.${}-]{1,64})?$|^projects\/[\w-]{1,64}\/secrets\/[\w-]{1,128}(?:\/versions\/\w{1,16})?$|^@Microsoft\.KeyVault\(|^ENC\[[A-Z\d_]+,data:|^%env\([\w:.-]{1,128}\)%$/
/** Where OpenSSL is to take a password from: `-passin env:NAME`, `file:/run/x`, `fd:3`, `pass:$NAME`. */
const TAKEN_FROM = /^(?:env:[A-Za-z_]\w*|file:[\w./~$-]+|fd:\d+|pass:(?:[$<%{].*)?)$/
/** Fields that a pattern or a path names: `users.*.credentials.apiKey`, `users[0].password`, `headers["X-Auth"]`. */
const FIELDS =
  /^(?:(?=[^*]*\*)(?:[\w-]+|\*{1,2})(?:\.(?:[\w-]+|\*{1,2}))+|(?=[^[]*\[\d)[A-Za-z_]\w*(?:\[\d{1,4}\]|\.[A-Za-z_]\w*)+|[a-z_]\w*\[["'][\w-]+["']\])$/

/** An expression instead of a value: `getPassword()`, `process.env.TOKEN`, `userPassword`, `*secret` of C or YAML. */
export function isCode(value: string, isQuoted: boolean): boolean {
  if (value.includes('[[LLM_')) return true
  if (OF_PATTERN.test(value) || FIELDS.test(value) || TAKEN_FROM.test(value) || FORMAT.test(value)) return true
  if (OF_TAG.test(value) || ESCAPES_ALONE.test(value) || STORED.test(value)) return true
  if (!isQuoted && /^[({[<]/.test(value)) return true
  if (isQuoted) return (ACCESS.test(value) && !/\s/.test(value)) || BIT.test(value)
  if (WORD_OF_FLAGS.test(value) || OF_GO.test(value)) return true
  if (ACCESS.test(value) || (MEMBER.test(value) && !TWO_WORDS.test(value)) || CALL.test(value) || LITERAL.test(value))
    return true
  if (PERL.test(value) || BORROWED.test(value) || PATTERN.test(value) || BIT.test(value)) return true
  if (MINIFIED.test(value) && IN_MINIFIED.test(value)) return true
  return /^[*&]?[A-Za-z_]\w*$/.test(value) && !/\d/.test(value) && classifyName(value) !== undefined
}

/** What stands beside such a word in C and Go: types and pointers (`pass *analysis.Pass`), lines of the preprocessor, masks, `name=word`. */
const CODE_BESIDE =
  /^(?:[*&]{1,3}[A-Za-z_](?:[A-Za-z_.:]*(?:$|\d{0,4}[(,;)])|\w*\()|[*&]{1,3}\)|#(?:define|undef|include|if|ifn?def|else|elif|endif|pragma)$|\/\*|0x[0-9A-Fa-f]{1,8}[,;)]?$|[a-z_]+=[a-z_]+$|[*&]{0,3}(?:u?int|float|complex)(?:8|16|32|64|128)(?:_t)?[,;)]?$|(?:secret|kv)\/[\w/-]+$)/

const ARGUMENT = /^[a-z_]+=(?:True|False|None|true|false|null|\d{1,3}\.\d{1,3}|[A-Z][A-Z_]+)$/
/** Of more digits it may be anybody's code: `wifi=4711`, `pincode=4711`. */
const COUNT = /^([a-z_]{3,})=-?\d{1,3}$/
/** Names of secret numbers that have as few. */
const SECRET_NUMBER = /(?:^|_)(?:cvv|cvc|cvn|csc|pin|code)$/

/** Whether a text behind the verb `pass` names an argument of Python: `pass capture_output=True`, `pass max_retries=3`. */
export function isArgument(value: string): boolean {
  const counted = COUNT.exec(value)?.[1]
  return counted === undefined
    ? ARGUMENT.test(value)
    : !SECRET_NUMBER.test(counted) && classifyName(counted) === undefined
}

/** Whether a bare value beside a telling word is code of C or Go. */
export function isCodeBeside(value: string): boolean {
  return CODE_BESIDE.test(value)
}

/** What a secret has to be: `min:8`, `required|min:8|confirmed`, `VARCHAR(255)`, `8-64`; what becomes of it; where it is typed; what has passed. */
const RULES = new RegExp(
  [
    String.raw`(?:min|max|len|length|size|between):\d+(?:,\d+)?(?:\|.*)?`,
    String.raw`regex:\W.*`,
    String.raw`(?:required|nullable|sometimes|optional|bail|filled|string|confirmed)\|[\w|:,]+`,
    String.raw`[A-Z]+\(\d+\)|(?:string|varchar|char|text)\([\w ]+\)`,
    String.raw`\d+/\d{1,2}|\d{1,2}-(?:16|20|24|32|40|48|50|64|72|100|128|25[56])|\d{1,3}(?:\.\d+)?%`,
    'absent|exists|lowercase|uppercase|argon2id?|scrypt|обязательно',
    String.raw`[#.][a-z_-]*(?:pass|pw|login|user)[a-z_-]*|[a-z]+\[[a-z-]+=[^\]]*\]|//\w+\[@.*`,
  ]
    .map((rule) => `^(?:${rule})$`)
    .join('|'),
)

/** Whether a text says what a secret has to be. */
export function isRule(value: string): boolean {
  return RULES.test(value)
}

/** A key of YAML with nothing behind it, or a variable's: `v2:`, `DB_PORT2: 5`. */
const KEY_OF_YAML = /^(?:[A-Za-z_][\w.-]{0,63}:[ \t]{0,8}(?:\r?\n|\\{1,7}[nr])|[A-Z][A-Z\d]{0,31}_[A-Z\d_]{0,64}:\s)/
/**
 * What a shell, a router or OpenSSL writes next, where it has asked for a password: `bob@host3's password:`, `bob@host3:~$`, `bob@host3 ~ %`,
 * `sh-5.1$ ls`, `C:\Users\bob2>`, `router1#show version`, `8A0C:error:0909006C:PEM`.
 */
const PROMPT =
  /^(?:[\w.-]{1,32}@[\w.-]{1,64}(?::[~/]\S{0,64}[$#%]| \S{1,64} [$#%]|'s password:)(?:\s|\\|$)|[A-Z]:\\{1,8}[^\s>]{0,64}>|[\w.-]{1,64}(?:\([\w-]{1,32}\))?(?:[$#%>] (?:ls|cd|cat|sudo|whoami|exec|enable|exit|show)|[#>](?:show|sh(?= )|conf|config|configure|enable|exit|ping|copy|write))(?:[\s\\"]|$)|[\dA-F]{4,16}:error:)/
/** Up to the sign behind its path. */
export const LONGEST_PROMPT = 160

/** Whether a line begins with what no value does. */
export function isKeyOrPrompt(line: string): boolean {
  return KEY_OF_YAML.test(line) || PROMPT.test(line)
}
