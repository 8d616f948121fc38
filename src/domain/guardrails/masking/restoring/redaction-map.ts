/**
 * What one request has masked, and the way back. Lives as long as the request: a token of another request is an unknown text.
 *
 * A client may write texts that look like tokens. They are never changed and never restored. Where such a text equals the token
 * that a value of the same request would get (a conversation pasted back by somebody who saw tokens), the answer could not tell the
 * two apart, so the value takes the next suffix. For that the request's texts are given to `reserve` before the first `mask`;
 * a look-alike that only `mask` sees makes the token it equals stay unrestored.
 */
import type { Steps } from '../../../steps.ts'
import type { Detector } from '../detector.ts'
import { escapeForJson, mayBeEscaped, replaceEscapedTokens } from './escaped-token.ts'
import { requireFewValues, resolveOverlaps, type ExpectValues, type Finding } from '../finding.ts'
import { KnownValues } from './known-values.ts'
import { renderToken, replaceTokens, tokenLength, TOKEN_PREFIX, tokensIn } from './redaction-token.ts'
import type { TokenPlace, TokenSuffix } from './redaction-token.ts'
import { replaceValues } from './replace-values.ts'

/** Stands for a token where requests that differ in masked values only must be equal. */
const ORDINAL = /\[\[LLM_REDACTED_([A-Z][A-Z0-9_]{0,31})_#(\d{1,7})\]\]/g

/** A text up to this length is masked in one step, in UTF-16 units. */
const LONGEST_STEP = 32_768
/** What a text costs beside its UTF-16 units. */
const UNITS_PER_TEXT = 64
/** Tokens made in one step: a keyed hash each. */
const FINDINGS_A_STEP = 256

/** A model that repeats the token of a long key could make gigabytes of an answer of a megabyte: then tokens stay. */
const MAX_RESTORED = 8 * 1024 * 1024

const NO_LITERALS: readonly TokenPlace[] = []

export interface RedactionMapOptions {
  readonly detector: Detector
  readonly tokenSuffix: TokenSuffix
  /** What it throws ends the masking. */
  readonly room?: RoomForValues
}

/** Memory for the values of a request, which ends with it. */
export interface RoomForValues {
  /** So many seem to stand in the text being read: room for them is kept until `settle`. */
  readonly expect: ExpectValues
  /** For a value that is new, before it is kept. */
  claim(): void
  /** The text is masked: what was expected, and not claimed, is given back. */
  settle(): void
}

interface MaskableText {
  readonly text: string
  /** @see TextSpan.maxLength */
  readonly maxLength?: number
}

interface Entry {
  readonly kind: string
  readonly value: string
  readonly token: string
  /** Place among the masked values, by first appearance, from 1. */
  readonly ordinal: number
  /** How often it was masked. */
  count: number
}

export class RedactionMap {
  readonly #detector: Detector
  readonly #tokenSuffix: TokenSuffix
  readonly #room: RoomForValues | undefined
  readonly #byToken = new Map<string, Entry>()
  /** By kind, then by value. */
  readonly #byValue = new Map<string, Map<string, Entry>>()
  readonly #entries: Entry[] = []
  readonly #known = new KnownValues()
  /** Values masked, each as often as it came. */
  #found = 0
  /** Characters of values that are put back. */
  #restored = 0
  /** Made where a text has one: most requests write nothing that looks like a token. */
  #literals: Set<string> | undefined

  constructor(options: RedactionMapOptions) {
    this.#detector = options.detector
    this.#tokenSuffix = options.tokenSuffix
    this.#room = options.room
  }

  /** Findings masked so far, by kind; a value that came twice counts twice. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { kind, count } of this.#entries) counts.set(kind, (counts.get(kind) ?? 0) + count)
    return counts
  }

  /** How many different values were masked. 0: nothing to restore. */
  get size(): number {
    return this.#entries.length
  }

  /** Tokens given out that may be restored. */
  tokens(): string[] {
    return this.#entries.filter(({ token }) => !this.#isLiteral(token)).map(({ token }) => token)
  }

  /** Notes the look-alikes of a text before anything is masked. Needed only where the request contains `LLM_REDACTED_`. */
  reserve(text: string): void {
    this.#keepLiterals(tokensIn(text))
  }

  /**
   * The text with every finding replaced by its token; the same string where there is none.
   * @param comesAgain as for `Detector.detect`
   * @param maxLength a text that tokens make longer than this becomes one token as a whole
   * @param fieldName of the text, which may tell what it is
   */
  mask(text: string, comesAgain = false, maxLength = Infinity, fieldName = ''): string {
    const literals = this.#literalsIn(text)
    const findings = outsideLiterals(this.#findingsIn(text, comesAgain, fieldName), literals)
    const [first] = findings
    if (first === undefined) return text
    if (text.length <= maxLength && maskedLength(text, findings) > maxLength) return this.#tokenFor(first.kind, text)
    return this.#maskUpTo(findings, 0, text) + text.slice(findings.at(-1)?.end)
  }

  /** The same for a text of any length, a piece of it at a time. Of one that `isOneStep` it is `mask`, at a price. */
  *maskInSteps(text: string, comesAgain = false, maxLength = Infinity, fieldName = ''): Steps<string> {
    if (isOneStep(text)) return this.mask(text, comesAgain, maxLength, fieldName)
    const literals = this.#literalsIn(text)
    const findings = outsideLiterals(yield* this.#detector.detectInSteps(text, this.#room?.expect), literals)
    let masked = ''
    let end = 0
    for (let next = 0; next < findings.length; next += FINDINGS_A_STEP) {
      const some = findings.slice(next, next + FINDINGS_A_STEP)
      masked += this.#maskUpTo(some, end, text)
      end = some.at(-1)?.end ?? end
      yield
    }
    this.#room?.settle()
    return end === 0 ? text : masked + text.slice(end)
  }

  /** Whether `maskAgain` has something to look for. */
  get looksAgain(): boolean {
    return this.#known.size > 0
  }

  /**
   * Masks values in what became of the request's texts where only another of them tells what they are. To be called when all
   * have been masked; changes `masked`.
   * @param masked the texts that masking has changed, by their places among `texts`
   */
  *maskAgain(texts: Iterable<MaskableText>, masked: Map<number, string>): Steps<void> {
    if (!this.looksAgain) return
    let index = 0
    let units = 0
    for (const span of texts) {
      const once = masked.get(index) ?? span.text
      const findings = resolveOverlaps(yield* this.#known.findIn(once, this.#room?.expect))
      if (findings.length > 0) masked.set(index, this.#maskedAgain(span, once, findings))
      this.#room?.settle()
      index++
      units += once.length + UNITS_PER_TEXT
      if (units < LONGEST_STEP) continue
      units = 0
      yield
    }
  }

  #maskedAgain({ text, maxLength = Infinity }: MaskableText, once: string, findings: readonly Finding[]): string {
    const isTooLong = text.length <= maxLength && maskedLength(once, findings) > maxLength
    if (isTooLong && findings[0] !== undefined) return this.#tokenFor(findings[0].kind, text)
    return this.#maskUpTo(findings, 0, once) + once.slice(findings.at(-1)?.end)
  }

  #findingsIn(text: string, comesAgain: boolean, fieldName: string): readonly Finding[] {
    const findings = this.#detector.detect(text, comesAgain)
    const told = this.#detector.detectByField(fieldName, text)
    return told.length === 0 ? findings : resolveOverlaps([...findings, ...told])
  }

  /** The text from `from` to the end of the last finding, with tokens in their place. */
  #maskUpTo(findings: readonly Finding[], from: number, text: string): string {
    let masked = ''
    let end = from
    for (const finding of findings) {
      const value = text.slice(finding.start, finding.end)
      masked += text.slice(end, finding.start) + this.#tokenFor(finding.kind, value)
      this.#known.add(finding, value)
      end = finding.end
    }
    return masked
  }

  /** Look-alikes of a text, which are kept. */
  #literalsIn(text: string): readonly TokenPlace[] {
    if (!text.includes(TOKEN_PREFIX)) return NO_LITERALS
    const literals = [...tokensIn(text)]
    this.#keepLiterals(literals)
    return literals
  }

  /** The text with this request's tokens replaced by their values, in one pass; every other text stays. */
  restore(text: string): string {
    return this.size === 0 ? text : replaceTokens(text, (token) => this.valueOf(token))
  }

  /** Like `restore`, for JSON text: tokens may be escaped, and values are, as the content of a JSON string. */
  restoreJson(text: string): string {
    if (this.size === 0) return text
    const replace = mayBeEscaped(text) ? replaceEscapedTokens : replaceTokens
    return replace(text, (token) => escapeForJson(this.valueOf(token)))
  }

  /** The text with this request's values replaced by their tokens: for words about an answer, which are few. */
  hide(text: string): string {
    return replaceValues(text, this.#entries)
  }

  /** The value behind a token of this request, to be put back; undefined for every other text, and where that would be too much. */
  valueOf(token: string): string | undefined {
    const value = this.#isLiteral(token) ? undefined : this.#byToken.get(token)?.value
    if (value === undefined || this.#restored > MAX_RESTORED) return undefined
    this.#restored += value.length
    return value
  }

  /**
   * The text with ordinals in place of this request's tokens: equal for requests that differ in masked values only. A cache key
   * made of it must also hold `size`, so that a client who writes ordinals gets a key of its own.
   */
  toOrdinals(text: string): string {
    return replaceTokens(text, (token) => {
      const entry = this.#isLiteral(token) ? undefined : this.#byToken.get(token)
      return entry === undefined ? undefined : `${TOKEN_PREFIX}${entry.kind}_#${entry.ordinal}]]`
    })
  }

  /** The text with this request's tokens in place of ordinals: for an answer that another request's ordinals are in. */
  fromOrdinals(text: string): string {
    return text.replace(ORDINAL, (ordinal: string, kind: string, place: string) => {
      const entry = this.#entries[Number(place) - 1]
      return entry?.kind === kind ? entry.token : ordinal
    })
  }

  #keepLiterals(places: Iterable<TokenPlace>): void {
    for (const { token } of places) (this.#literals ??= new Set()).add(token)
  }

  #isLiteral(token: string): boolean {
    return this.#literals?.has(token) === true
  }

  #tokenFor(kind: string, value: string): string {
    requireFewValues(++this.#found)
    const ofKind = this.#byValue.get(kind) ?? new Map<string, Entry>()
    const known = ofKind.get(value)
    if (known !== undefined) {
      known.count++
      return known.token
    }
    this.#room?.claim()
    const token = this.#freeToken(kind, value)
    const entry: Entry = { kind, value, token, ordinal: this.#entries.length + 1, count: 1 }
    this.#byValue.set(kind, ofKind.set(value, entry))
    this.#byToken.set(entry.token, entry)
    this.#entries.push(entry)
    return entry.token
  }

  /** The first of the value's tokens that neither another value nor the client's own text has. */
  #freeToken(kind: string, value: string): string {
    for (let attempt = 0; ; attempt++) {
      const token = renderToken(kind, this.#tokenSuffix(kind, value, attempt))
      if (!this.#byToken.has(token) && !this.#isLiteral(token)) return token
    }
  }
}

/** Whether a text is masked in one step. */
export function isOneStep(text: string): boolean {
  return text.length <= LONGEST_STEP
}

/** How long a text is with tokens in place of its findings. */
function maskedLength(text: string, findings: readonly Finding[]): number {
  return findings.reduce((length, { kind, start, end }) => length - (end - start) + tokenLength(kind), text.length)
}

/** Findings that are no part of a look-alike; both lists are in order of place. */
function outsideLiterals(findings: readonly Finding[], literals: readonly TokenPlace[]): readonly Finding[] {
  if (literals.length === 0) return findings
  let next = 0
  return findings.filter((finding) => {
    while ((literals[next]?.end ?? Infinity) <= finding.start) next++
    const literal = literals[next]
    return literal === undefined || finding.start < literal.start || finding.end > literal.end
  })
}
