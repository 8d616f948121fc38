/**
 * Request headers to overrides. Names that look like ours but are not in the registry are refused: a misspelt control
 * header would otherwise be a rule that silently does not apply.
 */
import { InvalidControlHeaderError } from '../errors.ts'
import { NO_OVERRIDES } from '../policy/overrides.ts'
import type { ControlOverrides, PolicyChange, PrivilegeNeed } from '../policy/overrides.ts'
import type { ControlHeader } from './control-header.ts'
import { invalidHeader, MAX_VALUE_CHARACTERS, quoted } from './grammar.ts'
import { aliasOf, CONTROL_HEADER_BY_NAME, CONTROL_HEADERS } from './registry.ts'

/**
 * A request's header fields: Node's `rawHeaders` (name, value, name, value, ...) or `headersDistinct` (an array per
 * name). Not Node's `headers`, which joins repeated lines so that `sync` twice cannot be told from `sync, sync`.
 * Names in any case, values one character per byte.
 */
export type HeaderFields = readonly string[] | Readonly<Record<string, readonly string[] | string | undefined>>

/** Response headers of ours, which a proxy or a careless client may send back. They ask for nothing. */
const RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'x-gateway-request-id',
  'x-gateway-routing-decision',
  'x-gateway-cache',
  'x-gateway-cache-similarity',
  'x-gateway-cost-usd',
  'x-gateway-input-tokens',
  'x-gateway-output-tokens',
  'x-gateway-token-count',
  'x-gateway-translation-warnings',
  'x-gateway-quota-reset',
])

/** Our two prefixes, and the underscores that people write for hyphens. */
const OUR_NAME = /^x[-_](llm|gateway)[-_]/i

/** The field lines of one header, by the name under which they came. */
interface FieldLines {
  readonly canonical: string[]
  readonly alias: string[]
}

/**
 * What the control headers of a request ask for; `NO_OVERRIDES` where there is none.
 * @throws {InvalidControlHeaderError} with the header's canonical name as param. @see docs/control-headers.md
 */
export function parseControlHeaders(fields: HeaderFields): ControlOverrides {
  const lines = collectLines(fields)
  if (lines === undefined) return NO_OVERRIDES
  let change: PolicyChange = {}
  const needs: PrivilegeNeed[] = []
  for (const header of CONTROL_HEADERS) {
    const own = lines.get(header)
    if (own === undefined) continue
    const asked = parseHeader(header, own)
    const privilege = header.privilegeFor(asked)
    if (privilege !== undefined) needs.push({ header: header.name, privilege })
    change = { ...change, ...asked }
  }
  return { change, needs }
}

function collectLines(fields: HeaderFields): Map<ControlHeader, FieldLines> | undefined {
  let lines: Map<ControlHeader, FieldLines> | undefined
  const add = (name: string, value: string): void => {
    const header = controlHeaderOf(name)
    if (header === undefined) return
    lines ??= new Map()
    const own = lines.get(header) ?? { canonical: [], alias: [] }
    lines.set(header, own)
    if (name.toLowerCase() === header.name) own.canonical.push(value)
    else own.alias.push(value)
  }
  eachField(fields, add)
  return lines
}

function eachField(fields: HeaderFields, visit: (name: string, value: string) => void): void {
  if (isRawList(fields)) {
    for (let index = 0; index + 1 < fields.length; index += 2) visit(fields[index] ?? '', fields[index + 1] ?? '')
    return
  }
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (typeof value === 'string') visit(name, value)
    else value?.forEach((line) => visit(name, line))
  }
}

function isRawList(fields: HeaderFields): fields is readonly string[] {
  return Array.isArray(fields)
}

/** Undefined where the name is not one of ours. */
function controlHeaderOf(name: string): ControlHeader | undefined {
  if (!mayBeOurs(name) || !OUR_NAME.test(name)) return undefined
  const lower = name.toLowerCase()
  if (RESPONSE_HEADERS.has(lower)) return undefined
  const header = CONTROL_HEADER_BY_NAME.get(lower)
  if (header === undefined) throw unknownHeader(lower)
  return header
}

/** An `x` first and an `l` or `g` third: two characters decide for nearly all headers. */
function mayBeOurs(name: string): boolean {
  if (lowerCaseAt(name, 0) !== 0x78) return false
  const third = lowerCaseAt(name, 2)
  return third === 0x6c || third === 0x67
}

/** The code of an ASCII letter, in lower case; of anything else some code that is no letter's. */
function lowerCaseAt(name: string, index: number): number {
  return name.charCodeAt(index) | 0x20
}

function unknownHeader(name: string): InvalidControlHeaderError {
  const shown = quoted(name)
  const known = CONTROL_HEADERS.map((header) => header.name).join(', ')
  return new InvalidControlHeaderError(`unknown control header ${shown}; there are ${known}`, shown.slice(1, -1))
}

function parseHeader(header: ControlHeader, { canonical, alias }: FieldLines): PolicyChange {
  const sides = [canonical, alias].filter((lines) => lines.length > 0).map((lines) => parseLines(header, lines))
  return agreed(header, sides, `differs from its alias ${aliasOf(header)}`)
}

function parseLines(header: ControlHeader, lines: readonly string[]): PolicyChange {
  assertBounded(header, lines)
  if (header.cardinality === 'list') return header.parse(lines.join(','))
  return agreed(
    header,
    lines.map((line) => header.parse(line)),
    'is there more than once, with different values',
  )
}

/** Lines and the commas between them are bounded before they are joined or compared, as no HTTP parser may have bounded this list. */
function assertBounded(header: ControlHeader, lines: readonly string[]): void {
  const characters = lines.reduce((sum, line) => sum + line.length, lines.length - 1)
  if (characters > MAX_VALUE_CHARACTERS) throw invalidHeader(header.name, `longer than ${MAX_VALUE_CHARACTERS} bytes`)
}

/** The one meaning of several changes. Changes are canonical, so equal JSON is equal meaning. */
function agreed(header: ControlHeader, changes: readonly PolicyChange[], complaint: string): PolicyChange {
  const [first, ...others] = changes
  if (first === undefined) throw new TypeError('a header without lines')
  if (others.length === 0) return first
  const meaning = JSON.stringify(first)
  if (others.some((other) => JSON.stringify(other) !== meaning)) {
    throw new InvalidControlHeaderError(`${header.name} ${complaint}`, header.name)
  }
  return first
}
