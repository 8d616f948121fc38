/**
 * The score of a reading's worst window: rules and classifier as two witnesses, 1 - (1 - rules)(1 - classifier), each rule as one
 * among the rules, and all of them weighed down where the classifier holds an attack for unlikely. What repeats in the window may
 * lower its score, never raise it.
 */
import { runningSums, windowLogOdds } from './classifier/classifier.ts'
import { featuresOf } from './classifier/features.ts'
import { distinctWords, withoutRepetition } from './classifier/repetition.ts'
import type { ClassifierWeights } from './classifier/weights.ts'
import { read } from './reading.ts'
import { CONCEPT_RULES } from './rules/concept-rules.ts'
import { createDiscount } from './rules/discount.ts'
import { createRuleEngine } from './rules/engine.ts'
import { findMarkers } from './rules/markers.ts'
import type { Firing, Vote } from './rules/rule.ts'
import { windowsOf, type Window } from './windows.ts'

/** What stands around a reading. */
export interface ScoreContext {
  /** Tool output and retrieved documents have weights of their own. */
  readonly document: boolean
  /** The text was encoded: rules weigh more. */
  readonly decoded: boolean
  /** Added to the classifier's log-odds. */
  readonly logOdds: number
  /** Length of the whole text that the reading is a part of, in UTF-16 code units. */
  readonly textLength: number
}

export interface WindowScore {
  readonly score: number
  /** Rules that were met, with their weights. */
  readonly votes: ReadonlyMap<Vote, number>
  /** The classifier's probability. */
  readonly classified: number
}

/** What the classifier says about a window. */
interface Testimony {
  readonly logOdds: number
  /** Of the text that the window is one of, as in `ScoreContext`. */
  readonly textLength: number
  /** The window has at most FEW_WORDS different words. */
  readonly fewWords: boolean
}

const DECODED_FACTOR = 1.3
const STRONGEST_RULE = 0.97
/**
 * The more windows a text has, the likelier one of them looks bad by chance: the classifier's log-odds fall by this times the
 * logarithm of the length in LENGTH_UNIT code units, less where rules speak for the same window.
 */
const LENGTH_PENALTY = 0.8
const LENGTH_UNIT = 600
/** Rules of this weight together take the whole penalty away. */
const SUPPORT = 0.35

/**
 * Rules count only as far as the classifier finds an attack possible: by the probability that it gives with so much added to its
 * log-odds. Long texts hold more words that rules look for, so there it must be surer.
 */
const SHORT_DOUBT = 3.5
const LONG_DOUBT = 1
/** Subtracted from the classifier's log-odds in long texts, whatever the rules say. */
const LONG_PENALTY = 0.5
/** A text begins to be long here, and is wholly so at e times this. In UTF-16 code units. */
const LONG_FROM = 200

/** So many different words, `admin password`, are no order by themselves: there the classifier counts as far as rules support it. */
const FEW_WORDS = 2

const fireRules = createRuleEngine(CONCEPT_RULES)

/** @param text folded */
export function highestWindow(classifier: ClassifierWeights, text: string, context: ScoreContext): WindowScore {
  const reading = read(text)
  const firings = [...fireRules(reading.hits, reading.places), ...findMarkers(text, reading.tokens)].toSorted(
    (one, other) => one.token - other.token,
  )
  const features = featuresOf(reading, context.document ? 'tool-output' : 'message')
  const sums = runningSums(classifier, features)
  const tokens = reading.tokens.count
  // Repeating a text makes it longer and offers chance no new windows.
  const distinctLength = context.textLength * (distinctWords(features, 0, tokens) / Math.max(1, tokens))
  const discount = createDiscount(reading, context.document)
  let best: WindowScore = { score: 0, votes: new Map(), classified: 0 }
  let first = 0
  let last = 0
  for (const window of windowsOf(reading.places)) {
    // Windows of one kind come in order; the first firing to look at only goes back where the next kind begins.
    if (window.from < last) first = 0
    last = window.from
    while (first < firings.length && (firings[first]?.token ?? 0) < window.from) first++
    const votes = votesIn(firings, first, window, context, discount)
    const logOdds = windowLogOdds(classifier, sums, window.from, window.to)
    const whole = { logOdds: logOdds + context.logOdds, textLength: context.textLength, fewWords: false }
    // Below only lowers the score: most windows need no second look.
    if (combine(votes, whole).score <= best.score) continue
    const distinct = withoutRepetition(classifier, features, window, logOdds)
    const fewWords = distinct.words <= FEW_WORDS
    const scored = lesser(
      combine(votes, { ...whole, fewWords }),
      combine(votes, { logOdds: distinct.logOdds + context.logOdds, textLength: distinctLength, fewWords }),
    )
    if (scored.score > best.score) best = scored
  }
  return best
}

function votesIn(
  firings: readonly Firing[],
  first: number,
  window: Window,
  context: ScoreContext,
  discount: (firing: Firing, window: Window) => number,
): ReadonlyMap<Vote, number> {
  const votes = new Map<Vote, number>()
  for (let index = first; index < firings.length; index++) {
    const firing = firings[index]
    if (firing === undefined || firing.token >= window.to) break
    const own = context.document ? firing.rule.toolWeight : firing.rule.weight
    const weight = Math.min(STRONGEST_RULE, own * (context.decoded ? DECODED_FACTOR : 1) * discount(firing, window))
    if (weight > (votes.get(firing.rule) ?? 0)) votes.set(firing.rule, weight)
  }
  return votes
}

function combine(votes: ReadonlyMap<Vote, number>, { logOdds, textLength, fewWords }: Testimony): WindowScore {
  let innocent = 1
  for (const weight of votes.values()) innocent *= 1 - weight
  const long = Math.min(1, Math.max(0, Math.log(textLength / LONG_FROM)))
  const agreement = 1 / (1 + Math.exp(-logOdds - SHORT_DOUBT + long * (SHORT_DOUBT - LONG_DOUBT)))
  const found = (1 - innocent) * agreement
  innocent = 1 - found
  const support = Math.min(1, found / SUPPORT)
  const penalty = LONG_PENALTY * long + LENGTH_PENALTY * Math.log(Math.max(1, textLength / LENGTH_UNIT)) * (1 - support)
  const classified = (fewWords ? support : 1) / (1 + Math.exp(penalty - logOdds))
  return { score: 1 - innocent * (1 - classified), votes, classified }
}

function lesser(one: WindowScore, other: WindowScore): WindowScore {
  return other.score < one.score ? other : one
}
