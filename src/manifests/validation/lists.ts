/** `x-kubernetes-list-type`: a set holds each item once, a map each combination of its keys once. */
import { isRecord, propertyOf } from './defaults.ts'
import type { FieldPath, FieldProblem } from '../problem.ts'
import type { Schema } from './schema.ts'

/** Duplicates anywhere in `value`, which may be of a wrong shape elsewhere. */
export function checkLists(schema: Schema, value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = []
  visit(schema, value, [], problems)
  return problems
}

function visit(schema: Schema, value: unknown, path: FieldPath, problems: FieldProblem[]): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    checkDuplicates(schema, value, path, problems)
    for (const [index, item] of value.entries()) visit(items, item, [...path, index], problems)
  } else if (isRecord(value)) {
    for (const [name, field] of Object.entries(value)) {
      const child = propertyOf(schema, name) ?? schema.additionalProperties
      if (child !== undefined) visit(child, field, [...path, name], problems)
    }
  }
}

function checkDuplicates(schema: Schema, items: readonly unknown[], path: FieldPath, problems: FieldProblem[]): void {
  const keys = schema['x-kubernetes-list-map-keys']
  const isMap = schema['x-kubernetes-list-type'] === 'map'
  if (!isMap && schema['x-kubernetes-list-type'] !== 'set') return
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const identity = JSON.stringify(isMap && isRecord(item) ? (keys ?? []).map((key) => item[key] ?? null) : item)
    if (seen.has(identity))
      problems.push({ path: [...path, index], message: describe(isMap ? keys : undefined, identity) })
    seen.add(identity)
  }
}

function describe(keys: readonly string[] | undefined, identity: string): string {
  const short = identity.length > 64 ? `${identity.slice(0, 61)}...` : identity
  if (keys === undefined) return `duplicate: ${short} is already in the list`
  return `duplicate: the list already has an item with ${keys.join(' and ')} ${short.slice(1, -1)}`
}
