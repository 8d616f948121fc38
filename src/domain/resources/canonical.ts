/** `value` as JSON with the fields of every object in order, so that equal content is equal text. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_field, item: unknown) => (isRecord(item) ? sorted(item) : item))
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(record).toSorted()
  return Object.fromEntries(names.map((name) => [name, record[name]]))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
