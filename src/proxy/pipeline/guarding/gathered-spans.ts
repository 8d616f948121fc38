/**
 * The texts of one document, which a guardrail works through in turns. A body holds a million of them, and an object for each
 * would be more than most of the texts: what is equal of many is kept once.
 */
import type { TextSpan } from '../../../domain/completion/text-span.ts'
import { GatewayError } from '../../../domain/errors.ts'
import type { ClientFormat } from '../../../domain/formats/format.ts'
import type { JsonObject } from '../../../domain/json.ts'

/** Tool arguments are JSON in a string: what is in them counts here, as the values of the body do in parse-document.ts. */
const MAX_TEXTS = 500_000
/** Names of fields, which are texts beside the values: as many as parse-document.ts takes fields. */
const MAX_NAMES = 350_000

/** Names of fields that are kept once: those of the records of a list. */
const MOST_SHARED_NAMES = 4_096

/** A span without what hardly two have in common. */
type Place = Omit<TextSpan, 'text' | 'fieldName'>

export class GatheredSpans {
  readonly #texts: string[] = []
  readonly #fieldNames: (string | undefined)[] = []
  readonly #places: Place[] = []
  /** A document has a dozen. */
  readonly #distinct: Place[] = []
  /** Made where a text has such a name: of most requests none has. */
  #sharedNames: Map<string, string> | undefined
  #names = 0

  /** @throws {GatewayError} 413 `request_too_large` */
  constructor(format: ClientFormat, document: JsonObject) {
    format.visitRequestText(document, (span) => {
      this.#add(span)
      return span.text
    })
  }

  get length(): number {
    return this.#texts.length
  }

  textAt(index: number): string | undefined {
    return this.#texts[index]
  }

  *[Symbol.iterator](): Iterator<TextSpan, undefined> {
    for (let index = 0; index < this.#texts.length; index++) {
      const [text, place, fieldName] = [this.#texts[index], this.#places[index], this.#fieldNames[index]]
      if (text === undefined || place === undefined) return
      yield fieldName === undefined ? { ...place, text } : { ...place, text, fieldName }
    }
  }

  #add(span: TextSpan): void {
    this.#texts.push(span.text)
    this.#fieldNames.push(this.#shared(span.fieldName))
    this.#places.push(this.#placeOf(span))
    if (span.isName === true) this.#names++
    if (this.#texts.length - this.#names > MAX_TEXTS)
      throw new GatewayError('request_too_large', `The body holds more than ${MAX_TEXTS} texts.`)
    if (this.#names > MAX_NAMES)
      throw new GatewayError('request_too_large', `The body holds more than ${MAX_NAMES} names of fields.`)
  }

  /** Of equal names, which may be made anew for each value, the first one. */
  #shared(name: string | undefined): string | undefined {
    if (name === undefined) return undefined
    this.#sharedNames ??= new Map()
    const known = this.#sharedNames.get(name)
    if (known === undefined && this.#sharedNames.size < MOST_SHARED_NAMES) this.#sharedNames.set(name, name)
    return known ?? name
  }

  #placeOf(span: TextSpan): Place {
    const known = this.#distinct.find(
      ({ scope, role, maxLength, isName }) =>
        scope === span.scope && role === span.role && maxLength === span.maxLength && isName === span.isName,
    )
    if (known !== undefined) return known
    const { text: _text, fieldName: _fieldName, ...place } = span
    this.#distinct.push(place)
    return place
  }
}
