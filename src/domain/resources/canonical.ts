/**
 * `value` as JSON with the fields of every object in order, so that equal content is equal text. Written out because it
 * runs over every entry at every build: JSON.stringify with a function that sorts takes five times as long.
 */
export function canonicalText(value: unknown): string {
  return render(value) ?? 'null'
}

/** Undefined for what JSON leaves out. */
function render(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => render(item) ?? 'null').join()}]`
  const fields: string[] = []
  for (const name of Object.keys(value).toSorted()) {
    const text = isRecord(value) ? render(value[name]) : undefined
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${fields.join()}}`
}

function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  return !Array.isArray(value)
}
