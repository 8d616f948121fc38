/**
 * Visits the words of JSON schemas in place: descriptions, titles, defaults, examples, allowed values, and all that stands in
 * keywords of nobody's. Like every walk it does not recurse.
 */
import { isContainer, isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { PendingContainers } from './field-name-of.ts'
import type { TextPlace } from './text-place.ts'
import type { TextWalk } from './text-walk.ts'

/** Visits the words of the schema in `holder[field]`. A text there is visited as one. */
export function visitSchema(holder: JsonObject, field: string, place: TextPlace, walk: TextWalk): void {
  // Most requests have none of the fields in which a schema may stand.
  if (holder[field] === undefined) return
  const pending = new PendingContainers()
  visitInner(holder, field, '', place, walk, pending)
  for (let next = pending.next(); next !== undefined; next = pending.next()) {
    const { container, fieldName } = next
    if (Array.isArray(container)) walk.items(container, fieldName, place, pending)
    else visitKeywords(container, fieldName, place, walk, pending)
  }
}

/**
 * Visits the words of one schema object; adds the schemas inside it, and lists of them, to `inner`.
 * @param property whose values it describes; '' where that is unknown
 */
function visitKeywords(
  schema: JsonObject,
  property: string,
  place: TextPlace,
  walk: TextWalk,
  inner: PendingContainers,
): void {
  const added = inner.size
  for (const keyword in schema) {
    const value = schema[keyword]
    switch (KEYWORDS.get(keyword)) {
      case 'structure':
        addContainers(value, inner)
        break
      case 'schema':
        visitInner(schema, keyword, property, place, walk, inner)
        break
      case 'named-schemas':
        if (isJsonObject(value)) for (const name in value) visitInner(value, name, name, place, walk, inner)
        else visitInner(schema, keyword, '', place, walk, inner)
        break
      case 'dependencies':
        if (isDependencies(value)) for (const name in value) addContainers(value[name], inner)
        else visitInner(schema, keyword, '', place, walk, inner)
        break
      case 'discriminator':
        if (isDiscriminator(value)) walk.extras(value, DISCRIMINATOR_FIELDS, place)
        else walk.all(schema, keyword, place)
        break
      case 'values':
        walk.all(schema, keyword, place, property)
        break
      case 'choices': // ordinary words, whatever the property's name
        walk.all(schema, keyword, place, '')
        break
      case undefined: // a description, or nobody's: whatever is in there, `id` and `type` included, is data
        if (typeof value === 'string') walk.text(schema, keyword, place)
        else walk.all(schema, keyword, place)
    }
  }
  inner.turn(added)
}

/** Where a schema should be: one, a list of them, or a text. */
function visitInner(
  holder: JsonObject,
  field: string,
  property: string,
  place: TextPlace,
  walk: TextWalk,
  inner: PendingContainers,
): void {
  const value = holder[field]
  if (isContainer(value)) inner.add(value, property)
  else walk.text(holder, field, place)
}

/** Adds what stands in the place of structure and holds more than a text or a list of texts: a property of that name, say. */
function addContainers(value: JsonValue | undefined, inner: PendingContainers): void {
  if (isJsonObject(value)) inner.add(value, '')
  else if (Array.isArray(value)) for (const item of value) if (isContainer(item)) inner.add(item, '')
}

/** By the name of a property the names of others, or a schema. */
function isDependencies(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && Object.values(value).every(isContainer)
}

const DISCRIMINATOR_FIELDS: ReadonlySet<string> = new Set(['propertyName', 'mapping'])

/** OpenAPI's: a property's name, and references by its values. */
function isDiscriminator(value: JsonValue | undefined): value is JsonObject {
  if (!isJsonObject(value) || typeof value.propertyName !== 'string') return false
  const { mapping = {} } = value
  return isJsonObject(mapping) && Object.values(mapping).every((reference) => typeof reference === 'string')
}

/** What a keyword holds. Of another structure it would be another schema; that says no words. */
type Kind = 'structure' | 'schema' | 'named-schemas' | 'dependencies' | 'discriminator' | 'values' | 'choices'

/** Of all drafts, of OpenAPI, and of Gemini in both spellings. */
const KEYWORDS: ReadonlyMap<string, Kind> = new Map([
  ...keywordsOf('structure', ['type', 'disallow', 'format', 'pattern', 'required', 'id', '$id', '$ref', '$schema']),
  ...keywordsOf('structure', ['$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef']),
  ...keywordsOf('structure', ['contentEncoding', 'contentMediaType', 'propertyOrdering', 'property_ordering']),
  ...keywordsOf('schema', ['items', 'additionalItems', 'prefixItems', 'prefix_items', 'unevaluatedItems', 'contains']),
  ...keywordsOf('schema', ['additionalProperties', 'additional_properties', 'unevaluatedProperties', 'propertyNames']),
  ...keywordsOf('schema', [
    'allOf',
    'anyOf',
    'any_of',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    'extends',
    'contentSchema',
  ]),
  ...keywordsOf('named-schemas', ['properties', 'patternProperties', 'dependentSchemas']),
  ...keywordsOf('named-schemas', ['$defs', 'defs', 'definitions']),
  ...keywordsOf('dependencies', ['dependencies', 'dependentRequired']),
  ...keywordsOf('discriminator', ['discriminator']),
  ...keywordsOf('values', ['default', 'const', 'example', 'examples']),
  ...keywordsOf('choices', ['enum']),
])

function keywordsOf(kind: Kind, keywords: readonly string[]): [string, Kind][] {
  return keywords.map((keyword) => [keyword, kind])
}
