/**
 * What only the name of a field tells of its text: `{"password": "..."}` of arguments and results, where name and text are two.
 * Only short texts are asked about, so that none is read twice.
 */
import type { Finding } from './finding.ts'
import { OPTIONAL_KINDS } from './optional-kinds.ts'
import { classifyFieldName } from './telling-name.ts'
import { findSecretIn } from './telling-secret.ts'

const SHORTEST = 4
const LONGEST = 560
/** Kinds of which undivided digits need a word. */
const NAMED_KINDS = ['PHONE', 'SSN'] as const
const NUMBER = /^\+?[(\d][\d ()./-]{5,30}$/

/** Settings of a secret: `show_password`, `requirePassword`. */
const IS_ABOUT =
  /^(?:show|hide|has|use|uses|require[sd]?|is|forgot|reset|toggle|enable[sd]?|allow(?:ed|s)?)(?:[-_A-Z]|$)/
/** What a secret has to be: `min:8`, `required|min:8|confirmed`, `VARCHAR(255)`, `12/12`. */
const RULES =
  /^(?:(?:min|max|len|length|size|between|regex):|[a-z_]+(?:\|[a-z_]+(?::[\w,]+)?)+$|[A-Z]+\(\d+\)$|\d+\/\d+$)/

/** @param kinds optional kinds that are looked for */
export function findToldByField(fieldName: string, text: string, kinds: ReadonlySet<string>): Finding[] {
  if (fieldName === '' || text.length < SHORTEST || text.length > LONGEST) return []
  const findings = kinds.size > 0 && NUMBER.test(text) ? findNumbers(fieldName, text, kinds) : []
  const telling = IS_ABOUT.test(fieldName) || RULES.test(text) ? undefined : classifyFieldName(fieldName)
  const secret = telling && findSecretIn(text, fieldName, telling)
  if (secret !== undefined) findings.push(secret)
  return findings
}

function findNumbers(fieldName: string, text: string, kinds: ReadonlySet<string>): Finding[] {
  const before = `${fieldName.slice(-LONGEST)}: `
  return NAMED_KINDS.filter((kind) => kinds.has(kind))
    .flatMap((kind) => OPTIONAL_KINDS[kind] ?? [])
    .flatMap((find) => find(before + text))
    .filter(({ start }) => start >= before.length)
    .map((found) => ({ ...found, start: found.start - before.length, end: found.end - before.length }))
}
