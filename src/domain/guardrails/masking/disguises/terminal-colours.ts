/**
 * Colours and other escape sequences of a terminal, `ESC [ 32 m`, also as a text in JSON or code has them (`\u001b[32m`, `\x1b[0m`,
 * `\033[1m`), as `cat -v` writes them (`^[[32m`), and without their escape, which is lost where a page or chat is copied (`[32m`): their
 * last letter makes one word with what follows, in which no rule finds a value. So such a text is read without them, and
 * what is found is brought back to its place, with what stands within it.
 */
import type { Steps } from '../../../steps.ts'
import type { Finding } from '../finding.ts'

/** Sequences that are taken away in one step. */
const SEQUENCES_A_STEP = 4096
const ESCAPE = String.raw`(?:\x1b|\u241b|\^\[|\\{1,7}(?:u001[bB]|u\{1[bB]\}|x1[bB]|033|[eE]))`
/** A colour alone, and no time: `[5m]`, `[5m:1m]`, `[10ms]`, `[5m30s]`. */
const WITHOUT_ESCAPE = String.raw`\[\d{1,2}(?:;\d{1,3}){0,5}m(?!(?:\d{0,3}s)?\]|:\d)`
/** Also which letters follow, as `tput sgr0` has it: `ESC ( B`. */
const SEQUENCE = String.raw`(?:${ESCAPE}(?:\[[\d;:?]{0,24}[A-HJKSTfhlmsu]|\([AB0])|${WITHOUT_ESCAPE})`
const ALL = new RegExp(SEQUENCE, 'g')
const AT = new RegExp(SEQUENCE, 'y')
const BEFORE = new RegExp(`${SEQUENCE}$`)
const LONGEST_SEQUENCE = 40
/** Colours, what `grep` puts behind them, and letters; others move on to another place, as a blank does. */
const LEAVES_PLACE = /m$|\[K$|\(.$/

/** Whether a sequence begins at its escape. */
export function isTerminalEscape(text: string, at: number): boolean {
  AT.lastIndex = at
  return AT.test(text)
}

/** Whether one ends at an offset. */
export function isAfterTerminalEscape(text: string, at: number): boolean {
  return BEFORE.test(text.slice(Math.max(0, at - LONGEST_SEQUENCE), at))
}

export interface Uncoloured {
  readonly plain: string
  /** Where pieces of `plain` begin: in it, and in the text. */
  readonly pieces: readonly (readonly [inPlain: number, inText: number])[]
}

export function* withoutColours(text: string): Steps<Uncoloured> {
  const pieces: [number, number][] = [[0, 0]]
  let plain = ''
  // Of a step: a text may be nothing but sequences.
  let rests: string[] = []
  let length = 0
  let from = 0
  for (const { 0: sequence, index } of text.matchAll(ALL)) {
    const blank = LEAVES_PLACE.test(sequence) ? '' : ' '
    rests.push(text.slice(from, index), blank)
    length += index - from + blank.length
    from = index + sequence.length
    pieces.push([length, from])
    if (pieces.length % SEQUENCES_A_STEP !== 0) continue
    plain += rests.join('')
    rests = []
    yield
  }
  return { plain: plain + rests.join('') + text.slice(from), pieces }
}

/** Findings of the plain text, in order of place, at their places in the text. */
export function* amongColours({ pieces }: Uncoloured, findings: readonly Finding[]): Steps<Finding[]> {
  let piece = 0
  function placeOf(offset: number): number {
    while ((pieces[piece + 1]?.[0] ?? Infinity) <= offset) piece++
    const [inPlain, inText] = pieces[piece] ?? [0, 0]
    return inText + offset - inPlain
  }
  const places: Finding[] = []
  for (const finding of findings) {
    const start = placeOf(finding.start)
    places.push({ ...finding, start, end: placeOf(finding.end - 1) + 1 })
    if (places.length % SEQUENCES_A_STEP === 0) yield
  }
  return places
}
