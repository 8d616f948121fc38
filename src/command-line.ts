/** Flags of the command line, each also as `TOLLGATE_<FLAG>` in the environment (empty: not given); the command line wins. */
import { parseArgs } from 'node:util'
import { nearest } from './domain/nearest-name.ts'
import { forwardProxyOf, type ForwardProxyOf } from './proxy/providers/environment-proxy.ts'
import type { Address } from './proxy/server/start.ts'
import { parseRedisUrl, type RedisAddress } from './proxy/stores/redis/redis-url.ts'

/** What a flag is: text, text that may be repeated (in the environment separated by commas), or on/off (`--no-<flag>`). */
export interface FlagSpec {
  readonly type: 'text' | 'list' | 'switch'
  readonly default?: string
  readonly help: string
}

export type Flags<Specs extends Record<string, FlagSpec>> = {
  readonly [Name in keyof Specs]: Specs[Name]['type'] extends 'switch'
    ? boolean
    : Specs[Name]['type'] extends 'list'
      ? readonly string[]
      : Specs[Name] extends { readonly default: string }
        ? string
        : string | undefined
}

/** A wrong command line: shown to the user without a stack, exit 2. */
export class UsageError extends Error {}

/**
 * A flag given again, that holds one value, stands for the one before, `--no-<switch>` included: so `extraArgs` of the
 * chart replace the chart's own.
 * @throws {UsageError} for an unknown flag, a missing or empty value, a positional argument
 */
export function parseFlags<Specs extends Record<string, FlagSpec>>(
  args: readonly string[],
  specs: Specs,
  environment: NodeJS.ProcessEnv,
): Flags<Specs> {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      { type: spec.type === 'switch' ? ('boolean' as const) : ('string' as const), multiple: spec.type === 'list' },
    ]),
  )
  const given = parseStrictly(args, options)
  const values = Object.entries(specs).map(([name, spec]) => [name, valueOf(name, spec, given[name], environment)])
  return Object.fromEntries(values) as Flags<Specs>
}

/** Help lines for `specs`, one a flag. */
export function helpOf(specs: Record<string, FlagSpec>): string {
  const flags = Object.entries(specs).map(([name, { type, help, default: value }]) => ({
    flag: `  --${type === 'switch' ? `[no-]${name}` : type === 'list' ? `${name} VALUE...` : `${name} VALUE`}`,
    text: value === undefined ? help : `${help} (default ${value})`,
  }))
  const width = Math.max(24, ...flags.map(({ flag }) => flag.length)) + 2
  return flags.map(({ flag, text }) => flag.padEnd(width) + text).join('\n')
}

/** Of the addresses that a process listens at: what each is by default, or in the help. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['admin', '127.0.0.1:4142'],
  ['listen-grpc', ':8443'],
  ['listen-webhook', ':9443'],
])

/** `host:port` with a port from 0 to 65535, IPv6 in brackets; or `:port`. @throws {UsageError} */
export function parseListenAddress(
  flag: string,
  text: string,
  example = EXAMPLES.get(flag) ?? '127.0.0.1:4141',
): Address {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+))?:(\d+)$/.exec(text)
  if (match === null) throw new UsageError(`--${flag} must be host:port, for example ${example}, not ${text}`)
  const port = Number(match[3])
  if (port > 65_535) throw new UsageError(`--${flag} must have a port from 0 to 65535, not ${text}`)
  return { host: match[1] ?? match[2], port }
}

/** The address of another process, such as `example`. @throws {UsageError} */
export function checkAddress(flag: string, text: string, example: string): void {
  if (parseListenAddress(flag, text, example).host === undefined)
    throw new UsageError(`--${flag} must be host:port, with a host, not ${text}`)
}

/** A Kubernetes name: nothing in it can reach another key of a store. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** A flag that is not given stays undefined. @throws {UsageError} where it can be no name of a resource. */
export function parseName<Text extends string | undefined>(flag: string, text: Text): Text {
  if (text === undefined || NAME.test(text)) return text
  throw new UsageError(`--${flag} must be a name of lower-case letters, digits and hyphens, not ${text}`)
}

/** A virtual key, as `namespace/name`. @throws {UsageError} that does not show what was given: it is mostly the key's text. */
export function parseKeyId(flag: string, text: string): string {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (more.length === 0 && NAME.test(namespace) && NAME.test(name)) return text
  const given = `--${flag} (${environmentName(flag)})`
  throw new UsageError(`${given} must be namespace/name of a VirtualKey, such as default/demo, not the key itself`)
}

/** @throws {UsageError} that shows neither user nor password. */
export function parseRedis(flag: string, text: string): RedisAddress {
  try {
    return parseRedisUrl(text)
  } catch (error) {
    throw new UsageError(`--${flag}: ${error instanceof Error ? error.message : 'not a Redis address'}`)
  }
}

/** `HTTPS_PROXY` and `NO_PROXY`. @throws {UsageError} that does not show them. */
export function parseForwardProxy(environment: NodeJS.ProcessEnv): ForwardProxyOf {
  try {
    return forwardProxyOf(environment)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the forward proxy cannot be used')
  }
}

/** One of a few words. @throws {UsageError} which lists them. */
export function parseChoice<const Choice extends string>(
  flag: string,
  choices: readonly Choice[],
  text: string,
): Choice {
  const choice = choices.find((known) => known === text)
  if (choice === undefined) throw new UsageError(`--${flag} must be one of ${choices.join(', ')}, not ${text}`)
  return choice
}

/** Both bounds included; written in digits only. @throws {UsageError} */
export function parseWholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : undefined
  if (value === undefined || value < least || value > most)
    throw new UsageError(`--${flag} must be a whole number from ${least} to ${most}, not ${text}`)
  return value
}

/** The environment's name of a flag: `--log-level` is `TOLLGATE_LOG_LEVEL`. */
export function environmentName(flag: string): string {
  return `TOLLGATE_${flag.toUpperCase().replaceAll('-', '_')}`
}

/**
 * What is wrong with flags, `--format must be ...`, with the variables that values are from, where they are:
 * `--format (TOLLGATE_FORMAT) must be ...`.
 * @param message of a `UsageError`
 */
export function withVariables(message: string, args: readonly string[], environment: NodeJS.ProcessEnv): string {
  if (!message.startsWith('--')) return message
  return message.replaceAll(/(?<!\S)--([a-z-]+)/g, (option, flag: string) => {
    if (args.some((arg) => arg === option || arg.startsWith(`${option}=`))) return option
    const name = environmentName(flag)
    const isFromThere = (environment[name] ?? '') !== '' && !message.includes(name)
    return isFromThere ? `${option} (${name})` : option
  })
}

type Parsed = Record<string, string | boolean | (string | boolean)[] | undefined>

type Options = Record<string, { type: 'string' | 'boolean'; multiple: boolean }>

function parseStrictly(args: readonly string[], options: Options): Parsed {
  const { values, tokens } = parseOrRefuse(args, options)
  for (const token of tokens) {
    // What a shell makes of a variable that is not set: as a path it would be the working directory.
    if (token.kind === 'option' && token.value === '') throw new UsageError(`--${token.name} has an empty value`)
  }
  return values
}

function parseOrRefuse(args: readonly string[], options: Options) {
  try {
    return parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: false,
      allowNegative: true,
      tokens: true,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'wrong arguments'
    const isUnknown = error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
    const meant = isUnknown ? meantOption(args, options) : ''
    throw new UsageError(`${reason.replaceAll('\n', ' ')}${meant}; --help lists the flags`)
  }
}

/** Of the first option that is not known: `, did you mean --config?`, or nothing. */
function meantOption(args: readonly string[], options: Options): string {
  const known = Object.keys(options)
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowNegative: true, tokens: true })
  // Only switches have their `--no-`.
  const isKnown = (name: string, rawName: string) =>
    rawName.startsWith('--no-') ? options[name]?.type === 'boolean' : known.includes(name)
  const wrong = tokens.find((token) => token.kind === 'option' && !isKnown(token.name, token.rawName))
  if (wrong?.kind !== 'option' || known.includes(wrong.name)) return ''
  const begun = known.filter((name) => name.startsWith(wrong.name))
  const meant = wrong.name.length === 1 && begun.length === 1 ? begun[0] : nearest(wrong.name, known)
  if (meant === undefined) return ''
  const isOff = wrong.rawName.startsWith('--no-') && options[meant]?.type === 'boolean'
  return `, did you mean --${isOff ? 'no-' : ''}${meant}?`
}

function valueOf(name: string, spec: FlagSpec, given: Parsed[string], environment: NodeJS.ProcessEnv): unknown {
  const fromEnvironment = environment[environmentName(name)] || undefined
  switch (spec.type) {
    case 'switch':
      return given ?? isOn(name, fromEnvironment)
    case 'list':
      return given ?? (fromEnvironment === undefined ? [] : fromEnvironment.split(',').filter((item) => item !== ''))
    case 'text':
      return given ?? fromEnvironment ?? spec.default
    default:
      return spec.type satisfies never
  }
}

function isOn(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'true' || text === 'false') return text === 'true'
  throw new UsageError(`${environmentName(name)} must be true or false, not ${text}`)
}
