/** The refusal of a request without the field that is its content. */
import { InvalidRequestError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { nearest } from '../nearest-name.ts'

/** Fields of the body that are compared: requests have some dozen. */
const MAX_COMPARED = 100
/** Longer names are no misspellings of a vendor's field. */
const MAX_NAME_LENGTH = 32

/**
 * The error where `field` is absent or null, with the field of the body that was probably meant for it.
 * @param expected what it must hold, for a sentence: `at least one message`
 */
export function missingField(document: JsonObject, field: string, expected: string): InvalidRequestError {
  const meant = nearest(field, namesIn(document, field))
  const hint = meant === undefined ? '' : `, but ${JSON.stringify(meant)} is there; did you mean '${field}'?`
  return new InvalidRequestError(`The field '${field}' is missing: expected ${expected}${hint || '.'}`, field)
}

function namesIn(document: JsonObject, field: string): string[] {
  const names: string[] = []
  for (const name in document) {
    if (names.length === MAX_COMPARED) break
    if (name !== field && name.length <= MAX_NAME_LENGTH) names.push(name)
  }
  return names
}
