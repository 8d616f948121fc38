/**
 * Whether a value is a secret, by its own characters, where a word beside it tells of one. Ordinary words, hashes and versions are
 * none; the less the place says, the more the value must.
 */
import { DIGIT, LETTER, LOWER } from '../character-classes.ts'
import {
  countKinds,
  entropyOf,
  hasGeneratedRun,
  isHex,
  isNameOfCode,
  isUuid,
  isWordsOfCode,
  kindsOfCharacters,
  OTHER,
} from '../secrets/randomness.ts'
import { isTypedBlindly } from './letters.ts'
import { isMadeUp, isMadeUpLiteral } from '../secrets/made-up-value.ts'
import type { Connection } from './telling-connector.ts'
import { isArgument, isCodeBeside } from './telling-code.ts'
import { classifyName } from './telling-name.ts'
import type { Telling } from './telling-name.ts'

/** What is known of a value but for its characters. */
export interface Place {
  readonly telling: Telling
  readonly connection: Connection
  readonly isQuoted: boolean
  /** In quotes, right behind a sign, or behind `Bearer`: no variable of a program. */
  readonly isLiteral: boolean
  readonly isVendorNear: () => boolean
  /** The name is a verb as often as a noun: `pass`. */
  readonly canBeVerb: boolean
  /** Nothing follows the value on its line, so it is no beginning of a sentence; or a user's name stands before. */
  readonly isLast: boolean
}

/** Shortest and longest values that each kind of name tells of. */
const LENGTHS: Readonly<Record<Telling, readonly [least: number, most: number]>> = {
  password: [4, 256],
  secret: [6, 511],
  weak: [16, 512],
}

/** Asked before all else: what follows a telling word in prose is mostly a short word. */
export function hasLength(length: number, telling: Telling): boolean {
  const [least, most] = LENGTHS[telling]
  return length >= least && length <= most
}

/** To be asked of values that have a length for it. */
export function isSecret(value: string, place: Place): boolean {
  if (place.telling === 'password') return isPassword(value, place)
  if (!hasSecret(value, place)) return false
  if ((!place.isLiteral || (place.isQuoted && place.telling === 'weak')) && isWordsOfCode(value)) return false
  return place.connection !== 'beside' || place.isQuoted || !isCodeBeside(value)
}

/** Of a licence: groups of one length. */
const IN_GROUPS = /^(?=.*\d)(?=.*[A-Z])(?:[A-Z\d]{4}(?:-[A-Z\d]{4}){2,7}|[A-Z\d]{5}(?:-[A-Z\d]{5}){2,7})$/

function hasSecret(value: string, place: Place): boolean {
  if (IN_GROUPS.test(value)) return true
  if (place.telling === 'secret' && (isMadeUpSecret(value, place) || isMnemonic(value, place))) return true
  if (isOrdinary(value)) return false
  return place.telling === 'secret' ? isSecretValue(value, place) : isWeakValue(value, place)
}

const ORDINARY_VALUES: ReadonlySet<string> = new Set(
  'string str text char varchar bytes byte number int integer float bool boolean object any unknown none null nil true false yes no undefined void optional required never auto default empty missing invalid incorrect wrong expired valid correct hidden visible password passwd pwd pass secret token key username user email name value input field label placeholder type confirm reset forgot forgotten change changed update login logout signin encrypted hashed plaintext bcrypt argon2 sha256 md5 hash base64 file path env variable manager protected weak strong short long disabled enabled validation error errors failed success this self new old current not the a an and or of in on to for with is are was be must should can will may at from by sent set stored safe correctly securely here there required. b64enc b64dec b32enc b32dec sha256sum sha1sum sha512sum md5sum amd64 arm64 armhf i386 ppc64el s390x riscv64 bearer basic oauth oauth2 jwt apikey header query cookie body refresh access public private test todo obligatoire facultatif requis invalide incorrecte manquant erforderlich vergessen abgelaufen falsch eingeben wiederholen verplicht verlopen ongeldig onjuist vergeten obligatoria obligatorio requerida requerido incorrecta incorrecto invalida invalido caducada olvidada opcional obrigatoria obrigatorio obbligatoria obbligatorio richiesta richiesto scaduta errata wymagane zorunlu gerekli'.split(
    ' ',
  ),
)

function isPassword(value: string, { connection, isQuoted, canBeVerb, isLast }: Place): boolean {
  if (connection === 'beside' && !isQuoted && (isCodeBeside(value) || OF_PROSE.test(value))) return false
  if (!isQuoted && (OF_MARKUP.test(value) || (!isLast && HOW_MANY.test(value)))) return false
  if (connection === 'said' && !isQuoted && OF_ROFF.test(value)) return false
  if (connection !== 'assigned' && canBeVerb && isArgument(value)) return false
  if (ORDINARY_VALUES.has(value.toLowerCase().replace(/^[*_]{1,3}/, ''))) return false
  if (/\s/.test(value)) return isQuoted && connection !== 'beside' && isPassphrase(value)
  if (isNeverSecret(value) || ALGORITHM.test(value) || ARRAY.test(value) || RULE_OF_IDEOGRAPHS.test(value)) return false
  if (
    /^[a-z]{6,}$/i.test(value) &&
    !canBeVerb &&
    classifyName(value) === undefined &&
    isLettersPassword(value, connection, isLast)
  )
    return true
  const parted = connection === 'beside' ? value.replaceAll(';', '') : value
  const kinds = kindsOfCharacters(plainLetters(parted.replace(/[-_.,:/'\u2019()[\]{}]/g, '')))
  const isMixed = countKinds(kinds) >= 2 && (kinds & (DIGIT | OTHER)) !== 0
  if (connection === 'said' || connection === 'beside')
    return isSaidPassword(value, kinds, isMixed, isQuoted && connection === 'said' && !canBeVerb)
  if (isMixed || connection === 'called') return isMixed
  if (connection === 'assigned' && isMixedCase(value)) return true
  if (kinds === DIGIT) return connection === 'assigned' && value.length >= 4 && value.length <= 64
  return isWordPassword(value, isQuoted)
}

/** `mínimo`, `ungültig` are words like those of ASCII. */
function plainLetters(value: string): string {
  return BEYOND_ASCII.test(value) ? value.replace(/(?![a-z])\p{Ll}/gu, 'a').replace(/(?![A-Z])\p{Lu}/gu, 'A') : value
}

const BEYOND_ASCII = /[^\0-\x7f]/
/** What is said of a password in Chinese and Japanese: how many characters it has at least. */
const RULE_OF_IDEOGRAPHS =
  /^(?:至少|最少|最多|不少于|长度|必须|请|需|不能|应|包含|最低|半角|英数)|\d(?:位|个|文字|字符|桁)/
/** What only texts have: escapes of roff, signs that begin a sentence or quotation, a label's key, words of scripts without letters. */
const OF_ROFF = /\\(?:&|\([A-Za-z'`^,:*o]|\*\(|f[BIPR]|-)/
const OF_PROSE = new RegExp(
  String.raw`${OF_ROFF.source}|^[\xa1\xab\xbb\xbf|]|\(_[A-Z]\)$|^(?=\D*[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])\D*$`,
)
/** On the line below a name, no value: a command of Perl's documents behind `B<password>`, the beginning of a block of code. */
const OF_MARKUP = /^=(?:item|head\d|over|back|cut|pod|begin|end|for|encoding)$|^~~~\w*$/
/** How many characters it has to have: `8-16 characters`. */
const HOW_MANY = /^\d{1,2}[-\u2013]\d{1,3}$/
/** Algorithms, protocols and standards: `SHA-256`, `UTF-8`, `HTTP/2`, `pbkdf2_sha256`, `SCRAM-SHA-256`, `WPA2-PSK`. */
const ALGORITHM =
  /^(?:(?:pbkdf2|hmac|scram|cram|bcrypt|scrypt|rsa|ecdsa|oaep|caching)[-_]){0,2}(?:(?:s?sha|s?md|aes|rsa|oaep|utf|base|pbkdf|blake|keccak|ripemd|chacha|crc|argon|kerberos|hs|rs|es|tls|ssl|oauth|http|ipv|pkcs|socksv?|wpa|ntlmv?)[-_/#]?\d{1,3}(?:\.\d|\/\d{3}|i?d|i|[bl]e|_?crypt|[bs]\d{0,3})?|ed(?:25519|448)|rfc\d{3,4}|iso-8859-\d{1,2})(?:[-_](?:\d{1,4}|bit|cbc|gcm|ctr|encoded|hashed|encrypted|based|psk|sae|eap|enterprise|personal|siv|xts|ccm|sha\d{1,3}|poly1305|password|plus))*$/i
const ARRAY = /^(?:Ui|I|BigI|BigUi)nt\d{1,2}(?:Clamped)?Array$|^Float\d{2}Array$/

/** Letters only: typed blindly, or the last of its line behind a sign that assigns. */
function isLettersPassword(value: string, connection: Connection, isLast: boolean): boolean {
  if (isTypedBlindly(value)) return connection !== 'called'
  return isLast && connection === 'assigned' && /^[a-z]{6,}$/.test(value) && !WORD_OF_STATE.test(value)
}

/** What forms, types and messages say of a password. */
const WORD_OF_STATE = /(?:ed|ing|word|tion|able|ible|er|or|ly)$/

/** Prose must not lose words: a password there needs digits or signs among its letters. */
function isSaidPassword(value: string, kinds: number, isMixed: boolean, isQuoted: boolean): boolean {
  if (/^\d{1,4}[-/.]?\p{L}+$/u.test(value) && value.length < 12) return isQuoted
  if (/^\p{L}+s?['\u2019]\p{L}+$/u.test(value) || /^\p{L}+[!?)]*$/u.test(value))
    return isQuoted && isWordPassword(value, true)
  if (/^-{1,2}[A-Za-z]/.test(value)) return false
  if (/^[a-z]+(?:-[a-z]+){3,}$/.test(value)) return true
  return value.length >= 6 && (isMixed || (kinds === DIGIT && value.length >= 6 && /^\d+$/.test(value)))
}

/** Letters whose case changes more often than in a name: `JhyAgUoZaEecrw`. */
function isMixedCase(value: string): boolean {
  const changes = value.match(/[A-Z][a-z]/g)?.length ?? 0
  return value.length >= 8 && changes >= 3 && changes * 5 >= value.length && /^[A-Za-z]+$/.test(value)
}

/** Only letters: a word like `swordfish`; names of variables and fields are none. */
function isWordPassword(value: string, isQuoted: boolean): boolean {
  if (value.length < 6 || classifyName(value) !== undefined) return false
  if (/^[a-z]+(?:[-_.][a-z]+){3,}$/.test(value)) return true
  return isQuoted && /^\p{Ll}{6,}$|^\p{Lu}\p{Ll}{5,}$/u.test(value) && !WORD_OF_STATE.test(value)
}

/** Options and paths, which a shell's command has: `cat /run/secrets/x2`, `pass show db/prod2`. */
const OF_COMMAND = / -|[ \w]\/\w/

/** Four to twelve words, or two or three with digits, without the small words of a sentence. */
function isPassphrase(value: string): boolean {
  const isMixed = /^\S{2,16}(?: \S{1,16}){1,2}$/.test(value) && /\d/.test(value) && !/^\d+ /.test(value)
  return (
    !OF_COMMAND.test(value) &&
    (isMixed || /^[a-z]{2,12}(?: [a-z]{2,12}){3,11}$/.test(value)) &&
    !/(?:^| )(?:is|the|your|a|an|must|please|enter|to|for|and|not|be|has|in|of|or|with|you)(?: |$)/.test(value)
  )
}

/** Short, of letters and digits. */
function isMadeUpSecret(value: string, { connection, isLiteral }: Place): boolean {
  if (connection === 'assigned') return isLiteral ? isMadeUpLiteral(value) : isMadeUp(value)
  return connection === 'said' && value.length >= SHORTEST_SECRET && isMadeUp(value)
}

/** The words that a wallet's key is made of: 12, 15, 18, 21 or 24. */
const MNEMONIC = /^(?:(?:[a-z]{3,8} ){3}){3,7}[a-z]{3,8} [a-z]{3,8} [a-z]{3,8}$/

function isMnemonic(value: string, { connection, isLiteral, isQuoted }: Place): boolean {
  return ((connection === 'assigned' && isLiteral) || (connection === 'said' && isQuoted)) && MNEMONIC.test(value)
}

/** Of which chance can be asked. */
const SHORTEST_SECRET = 8

function isSecretValue(value: string, { connection, isQuoted }: Place): boolean {
  if (value.length < SHORTEST_SECRET) return false
  const kinds = kindsOfCharacters(value)
  const hasDigitAndLetter = (kinds & DIGIT) !== 0 && (kinds & LETTER) !== 0
  if (isUuid(value)) return true
  if (value.length >= 16 && hasDigitAndLetter)
    return entropyOf(value) >= 2.8 && (hasGeneratedRun(value, 8) || countKinds(kinds) === 4 || isOfSigns(value))
  if (value.length >= 20 && (kinds & LETTER) === LETTER) return hasGeneratedRun(value, 20) || entropyOf(value) >= 4
  if (value.length >= 24 && (kinds & ~(LOWER | OTHER)) === 0) return hasGeneratedRun(value, 24)
  if (connection === 'beside' && !isQuoted) return false
  return countKinds(kinds) >= 3 && (kinds & DIGIT) !== 0 && hasDigitAndLetter
}

/** As Django makes keys: small letters, digits and many signs. */
function isOfSigns(value: string): boolean {
  const signs = value.match(/[!@#$%^&*(=+)]/g)?.length ?? 0
  const digits = value.match(/\d/g)?.length ?? 0
  return value.length >= 24 && !/[\s{}[\]<>,;"']/.test(value) && signs >= 4 && digits >= 4 && entropyOf(value) >= 3.8
}

function isWeakValue(value: string, { connection, isQuoted, isVendorNear: vendorIsNear }: Place): boolean {
  if (/[\s(){}<>,;]/.test(value)) return false
  if (isHex(value) || isUuid(value)) return value.length >= 24 && connection !== 'beside' && vendorIsNear()
  const kinds = kindsOfCharacters(value)
  if ((kinds & DIGIT) === 0 || (kinds & LETTER) === 0) return false
  if ((kinds & LETTER) !== LETTER && !hasGeneratedRun(value, 24) && !vendorIsNear()) return false
  return entropyOf(value) >= 3.4 && hasGeneratedRun(value, isQuoted ? 12 : 16)
}

/** Colours of CSS, which tokens of a design are as well. */
const COLOUR =
  /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\([\d\s,.%/+-]*\))$/i

/** Words and numbers between single signs. The look-aheads leave one way only to read a text: no backtracking. */
const JOINED_WORDS = /^[a-z]+(?:[-_.:/](?:[a-z]+(?![a-z])|\d+(?!\d))|\d+(?=[-_.:/]|$))*$/i

/** Things that stand beside telling words and are no secrets: versions, dates, paths, hashes with a label, joined words. */
function isOrdinary(value: string): boolean {
  if (ORDINARY_VALUES.has(value.toLowerCase()) || isNeverSecret(value) || isNameOfCode(value) || COLOUR.test(value))
    return true
  if (/^\d+$/.test(value)) return value.length < 24
  if (JOINED_WORDS.test(value) && !/\d{5}/.test(value)) return !hasGeneratedRun(value, 20)
  return /\s/.test(value) && !/^[A-Za-z]{2,8} \S+$/.test(value)
}

/** What Go imports: `k8s.io/klog/v2`. */
const IMPORT_PATH = /^[a-z\d-]{2,40}(?:\.[a-z\d-]{1,40}){0,3}\.[a-z]{2,10}(?:\/[a-z\d._-]{1,64}){1,12}$/

function isNeverSecret(value: string): boolean {
  if (IMPORT_PATH.test(value)) return true
  if (/^--[a-z][a-z\d]*(?:-[a-z\d]+)*=?$/.test(value)) return true
  if (/^[A-Za-z-]{1,32}=$/.test(value) && !isMixedCase(value.slice(0, -1))) return true
  if (
    /^(?:sha(?:1|224|256|384|512)|md5)[-:]/i.test(value) ||
    /^(?:\d+:|[\^~]|[<>]=?|==?)?v?\d+(?:\.\d+){1,15}(?:[-+][\w.+-]+)?$/.test(value)
  )
    return true
  if (/^\d{4}-\d{2}-\d{2}(?:T[\d:.Z+-]+)?$/.test(value) || /^[a-z][a-z0-9+.-]{1,15}:\/\//i.test(value)) return true
  if (/^(?:data:|arn:|\.{0,2}\/{1,2}(?:[\w.-]+\/)*[\w.-]*$|~\/)/.test(value) && !/[A-Z]\w*\d/.test(value)) return true
  return /^[\w./+-]+\.(?:pem|key|private|pub|p12|pfx|jks|der|csr|crt|cer|json|ya?ml|env|txt|js|ts|py|go|md|html?|conf|cfg|ini|toml|xml|png|jpe?g|gif|svg)$/i.test(
    value,
  )
}
