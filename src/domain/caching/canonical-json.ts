/** One text for all spellings of a JSON document: the key of what is equal, whatever the order of its fields. */
import type { JsonValue } from '../json.ts'

/**
 * The document with its fields in the order of their names, without spaces.
 * @returns undefined where a number may have lost digits in parsing (integers beyond 2^53): two documents that a
 * provider tells apart could then look equal.
 */
export function canonicalJson(value: JsonValue): string | undefined {
  try {
    return write(value)
  } catch (error) {
    if (error === INEXACT) return undefined
    throw error
  }
}

const INEXACT = new RangeError('a number of the document is not exact')

function write(value: JsonValue): string {
  if (typeof value === 'number') {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw INEXACT
    return JSON.stringify(value)
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  let text = ''
  for (const name of Object.keys(value).toSorted()) {
    const field = value[name]
    if (field === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${write(field)}`
  }
  return `{${text}}`
}
