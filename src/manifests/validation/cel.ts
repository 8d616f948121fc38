/** Evaluates the rules that the CRDs state in CEL, over values typed by their schema as the API server types them. */
import { Duration, Environment } from '@marcbachmann/cel-js/evaluator'
import { CelUrl, parseCelUrl } from './cel-url.ts'
import { isRecord, propertyOf } from './defaults.ts'
import { parseDuration } from '../../domain/resources/durations.ts'
import { toRuleProblem } from './explain.ts'
import type { FieldPath, FieldProblem } from '../problem.ts'
import type { Schema, ValidationRule } from './schema.ts'

/** Rules of what lies above or below one of the `blocked` paths are not judged: their values do not fit the schema. */
export type RuleCheck = (value: unknown, blocked: readonly FieldPath[]) => FieldProblem[]

/** Beyond so many blocked paths no rule is judged: the work stays bounded. */
const MAX_BLOCKED = 50

interface Rule {
  readonly message: string
  evaluate(self: unknown): unknown
}

/**
 * The check of every rule in `schema`, compiled once. The value must have passed the schema but for the blocked paths, defaults applied. Rules that
 * speak of `oldSelf` judge a change and are left out: a file is always a creation.
 */
export function compileRules(schema: Schema): RuleCheck {
  const environment = createEnvironment()
  const rules = new Map<Schema, readonly Rule[]>()
  collectRules(schema, environment, rules)
  return (value, blocked) => {
    const problems: FieldProblem[] = []
    if (blocked.length > MAX_BLOCKED) return problems
    const isBlocked = (path: FieldPath): boolean => blocked.some((other) => isOnOneBranch(path, other))
    const rulesAt = (at: Schema, path: FieldPath) => {
      const own = rules.get(at)
      return own === undefined || isBlocked(path) ? undefined : own
    }
    visit(schema, value, [], rulesAt, problems)
    return problems
  }
}

/** Whether one is the other or lies in it. */
function isOnOneBranch(left: FieldPath, right: FieldPath): boolean {
  return left.every((part, index) => index >= right.length || part === right[index])
}

function createEnvironment(): Environment {
  return new Environment()
    .registerVariable('self', 'dyn')
    .registerType('URL', { ctor: CelUrl, fields: { scheme: 'string', hostname: 'string' } })
    .registerFunction('isURL(string): bool', (text: string) => parseCelUrl(text) !== undefined)
    .registerFunction('url(string): URL', requireUrl)
    .registerFunction('URL.getScheme(): string', (url: CelUrl) => url.scheme)
    .registerFunction('URL.getHostname(): string', (url: CelUrl) => url.hostname)
}

function requireUrl(text: string): CelUrl {
  const url = parseCelUrl(text)
  if (url === undefined) throw new RangeError('not a URL')
  return url
}

function collectRules(schema: Schema, environment: Environment, rules: Map<Schema, readonly Rule[]>): void {
  const own = (schema['x-kubernetes-validations'] ?? []).filter(({ rule }) => !/\boldSelf\b/.test(rule))
  if (own.length > 0)
    rules.set(
      schema,
      own.map((rule) => compileRule(rule, environment)),
    )
  for (const child of childrenOf(schema)) collectRules(child, environment, rules)
}

function compileRule({ rule, message }: ValidationRule, environment: Environment): Rule {
  const program = environment.parse(rule)
  return { message: message ?? `failed rule: ${rule}`, evaluate: (self) => program({ self }) }
}

function childrenOf(schema: Schema): readonly Schema[] {
  const { properties = {}, items, additionalProperties } = schema
  return [
    ...Object.values(properties),
    ...(items ? [items] : []),
    ...(additionalProperties ? [additionalProperties] : []),
  ]
}

function visit(
  schema: Schema,
  value: unknown,
  path: FieldPath,
  rulesAt: (schema: Schema, path: FieldPath) => readonly Rule[] | undefined,
  problems: FieldProblem[],
): void {
  const own = rulesAt(schema, path)
  if (own !== undefined) judge(own, toCel(schema, value), path, problems)
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const [index, item] of value.entries()) visit(items, item, [...path, index], rulesAt, problems)
  } else if (isRecord(value)) {
    for (const [name, field] of Object.entries(value)) {
      const child = propertyOf(schema, name) ?? schema.additionalProperties
      if (child !== undefined) visit(child, field, [...path, name], rulesAt, problems)
    }
  }
}

function judge(rules: readonly Rule[], self: unknown, path: FieldPath, problems: FieldProblem[]): void {
  for (const rule of rules) {
    let passed: unknown
    try {
      passed = rule.evaluate(self)
    } catch (error) {
      const cause = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
      problems.push({ path, message: `${rule.message} (rule cannot be evaluated: ${cause})` })
      continue
    }
    if (passed !== true) problems.push(toRuleProblem(path, rule.message))
  }
}

/** CEL tells whole numbers, numbers, texts and durations apart; JSON does not. */
function toCel(schema: Schema | undefined, value: unknown): unknown {
  if (typeof value === 'number') return schema?.type === 'number' ? value : BigInt(value)
  if (typeof value === 'string') return schema === undefined ? value : toCelText(schema, value)
  if (Array.isArray(value)) return value.map((item: unknown) => toCel(schema?.items, item))
  if (!isRecord(value)) return value
  const child = (name: string): Schema | undefined =>
    schema === undefined ? undefined : (propertyOf(schema, name) ?? schema.additionalProperties)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toCel(child(name), field)]))
}

function toCelText({ format }: Schema, value: string): unknown {
  if (format === 'duration') return Duration.fromMilliseconds(parseDuration(value))
  return format === 'date-time' ? new Date(value) : value
}
