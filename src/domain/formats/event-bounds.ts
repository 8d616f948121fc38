/**
 * What the JSON of a provider's event may hold, judged from its text before anything is built of it: the codecs, and
 * `JSON.stringify`, recurse into what it holds, and all that is made of one event is made in one turn of the event loop.
 */
import { UpstreamFormatError } from '../errors.ts'
import { holdsAtMost, MAX_JSON_DEPTH } from '../json-text.ts'

/** Shorter events are not looked at: they hold nothing that hurts. Nearly all are. */
const UNBOUNDED_CHARACTERS = 4_096
/** Objects, arrays and what is in them: 600 tokens with 20 log probabilities and their bytes each. Vendors send a few tokens an event. */
const MAX_VALUES = 100_000

/** @throws {UpstreamFormatError} where the text is nested too deep or holds too many values. */
export function checkEventBounds(text: string): void {
  if (text.length <= UNBOUNDED_CHARACTERS) return
  if (!holdsAtMost(text, MAX_VALUES, MAX_JSON_DEPTH))
    throw new UpstreamFormatError('The provider sent an event of too many values.')
}
