/** The reference of every manifest field, written from the CRDs: docs/manifests.md holds it, a test keeps it true. */
import type { KindSchema, Schema } from './validation/schema.ts'
import { describePattern, describeRange } from './validation/words.ts'

/** Markdown: one section a kind, one row a field, in the order of the schema. */
export function renderReference(kinds: readonly KindSchema[]): string {
  return kinds.map(renderKind).join('\n')
}

function renderKind({ kind, scope, schema }: KindSchema): string {
  const spec = schema.properties?.['spec']
  const head = ['| field | type | default | allowed | what it is |', '|---|---|---|---|---|']
  const rows = spec === undefined ? [] : renderFields(spec, 'spec')
  const rules = collectRules(schema, '').map((rule) => `- ${rule}`)
  const judged = rules.length === 0 ? [] : ['Rules:', '', ...rules, '']
  return [`## ${kind} (${scope.toLowerCase()})`, '', ...requiredSpec(schema), ...head, ...rows, '', ...judged].join(
    '\n',
  )
}

function requiredSpec({ required = [], properties = {} }: Schema): string[] {
  if (!required.includes('spec')) return []
  const mayBeEmpty = (properties['spec']?.required ?? []).length === 0
  return [`\`spec\` is required${mayBeEmpty ? ', also where it is empty: `spec: {}`' : ''}.`, '']
}

function renderFields(schema: Schema, path: string): string[] {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    renderRow(`${path}.${name}`, field, required.has(name)),
    ...renderFields(field, `${path}.${name}`),
    ...(field.items === undefined ? [] : renderFields(field.items, `${path}.${name}[]`)),
  ])
}

function renderRow(path: string, field: Schema, required: boolean): string {
  const cells = [
    `\`${path}\`${required ? ' (required)' : ''}`,
    typeOf(field),
    field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``,
    allowed(field),
    (field.description ?? '').replaceAll('<', '&lt;'),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
}

function typeOf({ type, format, items, additionalProperties, ...schema }: Schema): string {
  if (items !== undefined) return `${schema['x-kubernetes-list-type'] === 'set' ? 'set' : 'list'} of ${typeOf(items)}`
  if (additionalProperties !== undefined) return `map of ${typeOf(additionalProperties)}`
  return format ?? type
}

function allowed(field: Schema): string {
  const { items, enum: values, pattern, maxLength, minItems, maxItems, maxProperties } = field
  const keys = field['x-kubernetes-list-map-keys']
  return [
    values === undefined ? '' : values.map((value) => `\`${value}\``).join(', '),
    pattern === undefined ? '' : describePattern(pattern),
    field.minimum === undefined && field.maximum === undefined ? '' : describeRange(field).trim(),
    pattern !== undefined || maxLength === undefined ? '' : `at most ${maxLength} characters`,
    items === undefined || items.properties !== undefined ? '' : allowed(items),
    maxItems === undefined ? '' : `${minItems === undefined ? 'at most' : `${minItems} to`} ${maxItems} items`,
    maxProperties === undefined ? '' : `at most ${maxProperties} entries`,
    keys === undefined ? '' : `each ${keys.join(' and ')} once`,
  ]
    .filter((text) => text !== '')
    .join('; ')
}

function collectRules(schema: Schema, path: string): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(
    ({ message, rule }) => `${path === '' ? '' : `\`${path}\`: `}${message ?? rule}`,
  )
  const children = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    collectRules(field, path === '' ? name : `${path}.${name}`),
  )
  return [...own, ...children, ...(schema.items === undefined ? [] : collectRules(schema.items, `${path}[]`))]
}
