/** Detection of personal data and secrets: the pass of scan.ts, then the kinds and patterns that a policy adds. */
import { mergeResolved, requireFewFindings, resolveOverlaps, ValueCount } from './finding.ts'
import type { ExpectValues, Finding } from './finding.ts'
import { OPTIONAL_KINDS, type KindFinder } from './personal/optional-kinds.ts'
import type { CustomPattern } from './pattern-engine.ts'
import { takeAll, type Steps } from '../../steps.ts'
import { broughtBack, undisguise } from './disguises/disguise.ts'
import { hiddenBorders, type Borders } from './disguises/hidden-borders.ts'
import { amongPrefixes, outsidePrefixes, withoutPrefixes } from './disguises/line-prefixes.ts'
import { scan, scanInSteps, type Scanned } from './scan.ts'
import { amongColours, withoutColours } from './disguises/terminal-colours.ts'
import { findToldByField } from './telling/told-by-field.ts'

export interface DetectorOptions {
  /** Kinds beside EMAIL, KEY and CARD, which are always looked for: PHONE, IBAN, SSN, IP. Names that are not known find nothing. */
  readonly kinds: ReadonlySet<string>
  readonly custom: readonly CustomPattern[]
}

export interface Detector {
  /**
   * Findings in order of place, not overlapping.
   * @param comesAgain the text probably stands in other requests too: a detector may remember it
   */
  detect(text: string, comesAgain?: boolean): readonly Finding[]
  /** What the name of a field tells of its text, beside what the text says itself; in any order. @see told-by-field.ts */
  detectByField(fieldName: string, text: string): readonly Finding[]
  /**
   * As `detect`, of a long text, which is not remembered.
   * @param expect told of what is found before all is
   */
  detectInSteps(text: string, expect?: ExpectValues): Steps<readonly Finding[]>
}

/** A detector for one policy; make it once and keep it. It holds no state between texts. */
export function createDetector(options: DetectorOptions): Detector {
  const finders: KindFinder[] = Object.entries(OPTIONAL_KINDS).flatMap(([kind, kindFinders]) =>
    options.kinds.has(kind) ? kindFinders : [],
  )
  for (const { kind, pattern } of options.custom) {
    finders.push((text) => pattern.findAll(text).map(([start, end]) => ({ kind, start, end, rule: 'custom' })))
  }
  return {
    detect(text) {
      const { findings, isDisguised, isColoured, hasTelling } = scan(text)
      if (isColoured) return takeAll(withoutItsColours(text, finders))
      for (const find of finders) add(find(text), findings)
      const found = resolveOverlaps(findings)
      const open = mayGoOverLines(text, hasTelling) ? takeAll(withLines(text, found)) : found
      return isDisguised ? takeAll(withDisguised(text, open, finders)) : open
    },
    detectByField: (fieldName, text) => findToldByField(fieldName, text, options.kinds),
    *detectInSteps(text, expect) {
      const scanned = yield* scanInSteps(text, expect)
      if (scanned.isColoured) return yield* withoutItsColours(text, finders, expect)
      return yield* detectIn(text, scanned, finders, expect)
    },
  }
}

/** What the text shows without the colours of a terminal. A sequence that this leaves is none. */
function* withoutItsColours(
  text: string,
  finders: readonly KindFinder[],
  expect?: ExpectValues,
): Steps<readonly Finding[]> {
  const uncoloured = yield* withoutColours(text)
  const scanned = yield* scanInSteps(uncoloured.plain, expect)
  return yield* amongColours(uncoloured, yield* detectIn(uncoloured.plain, scanned, finders, expect))
}

function* detectIn(
  text: string,
  { findings, isDisguised, hasTelling }: Scanned,
  finders: readonly KindFinder[],
  expect?: ExpectValues,
): Steps<readonly Finding[]> {
  yield* addInSteps(text, finders, findings, expect)
  const found = resolveOverlaps(findings)
  const open = mayGoOverLines(text, hasTelling) ? yield* withLines(text, found, expect) : found
  return isDisguised ? yield* withDisguised(text, open, finders, expect) : open
}

/** Of an address that is spelled over two lines, and of a file of cookies. */
const OVER_LINES = /[\])}]\r?\n|\t(?:TRUE|FALSE)\t/

/** Whether something may be told of, or go on, over a line's end: in logs mostly nothing does, which need not be read without what stands before their lines. */
function mayGoOverLines(text: string, hasTelling: boolean): boolean {
  return hasTelling || OVER_LINES.test(text)
}

/** In front of one line: a number, a comment's sign in a diff. */
const MOST_PREFIXES = 3

/** With what the text shows without the numbers or signs that a program has put in front of its lines. */
function* withLines(
  text: string,
  open: readonly Finding[],
  expect?: ExpectValues,
  most = MOST_PREFIXES,
): Steps<readonly Finding[]> {
  const plain = most === 0 ? undefined : yield* withoutPrefixes(text)
  if (plain === undefined) return open
  const { findings } = yield* scanInSteps(plain, expect)
  const inPlain = yield* withLines(plain, resolveOverlaps(findings), expect, most - 1)
  const outside = yield* outsidePrefixes(text, open)
  return yield* mergeResolved(outside, yield* amongPrefixes(text, inPlain))
}

const NO_BORDERS: Borders = []
/** Of one of the finders. */
const FINDINGS_A_STEP = 1024

/** With what the plain text shows, at its places in the text as it is written. */
function* withDisguised(
  text: string,
  open: readonly Finding[],
  finders: readonly KindFinder[],
  expect?: ExpectValues,
): Steps<readonly Finding[]> {
  const whole = yield* undisguise(text, NO_BORDERS)
  const found = yield* findAll(whole.plain, finders, expect)
  let all = yield* mergeResolved(open, yield* broughtBack(text, NO_BORDERS, found))
  if (!whole.hasHidden) return all
  for (const borders of yield* hiddenBorders(text)) {
    const { plain } = yield* undisguise(text, borders)
    all = yield* mergeResolved(all, yield* broughtBack(text, borders, yield* findAll(plain, finders, expect)))
  }
  return all
}

function* findAll(text: string, finders: readonly KindFinder[], expect?: ExpectValues): Steps<readonly Finding[]> {
  const { findings } = yield* scanInSteps(text, expect)
  yield* addInSteps(text, finders, findings, expect)
  return resolveOverlaps(findings)
}

function* addInSteps(
  text: string,
  finders: readonly KindFinder[],
  findings: Finding[],
  expect?: ExpectValues,
): Steps<void> {
  const values = new ValueCount(expect)
  for (const find of finders) {
    for (const finding of find(text)) {
      if (finding !== undefined && findings.push(finding) % FINDINGS_A_STEP !== 0) continue
      values.requireFew(findings.length, () => findings)
      yield
    }
    values.requireFew(findings.length, () => findings)
    yield
  }
}

/** A text may be nothing but values, of which each costs more than its characters. */
function add(found: ReturnType<KindFinder>, findings: Finding[]): void {
  for (const finding of found) if (finding !== undefined) requireFewFindings(findings.push(finding))
}
