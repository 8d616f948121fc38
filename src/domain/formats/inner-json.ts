/** Reading the JSON texts inside strings of one document, whose values are all kept until it is written in another format. */
import { followsGrammar } from '../json-grammar.ts'
import { parseInnerJson } from '../json-parse.ts'
import { countStructure } from '../json-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/** All texts together up to this length hold nothing that could matter: those of most documents are not looked into. */
const UNCOUNTED_CHARACTERS = 64 * 1024

/**
 * Brackets, commas and colons of all texts together, up to 64 bytes of memory each (100 where names of fields have escapes):
 * with the values of the largest body they must fit a heap of 128 MiB. Edits of files that fill a context of a million tokens have fewer.
 */
const MAX_STRUCTURE = 250_000

/** What a text is that has no object. */
export type Unread = 'no JSON object' | 'too much JSON to be read'

/** One per rendering: however the values are parted over texts, there is one bound for all. */
export class InnerJson {
  #characters = 0
  #structure = 0

  /** The text's value; undefined where it is no JSON, or too much beside what has been read before. */
  parse(text: string): JsonValue | undefined {
    this.#characters += text.length
    if (this.#characters > UNCOUNTED_CHARACTERS) {
      const structure = countStructure(text)
      if (this.#structure + structure > MAX_STRUCTURE) return undefined
      this.#structure += structure
    }
    return parseInnerJson(text)
  }

  /** The text's object, or why there is none. */
  object(text: string): JsonObject | Unread {
    const value = this.parse(text)
    if (isJsonObject(value)) return value
    return value === undefined && followsGrammar(text) ? 'too much JSON to be read' : 'no JSON object'
  }
}
