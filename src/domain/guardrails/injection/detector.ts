/**
 * Prompt injection detection without network or GPU.
 *
 * A text is cut into chunks; each chunk gives readings (as it stands, undisguised, decoded); each reading is scored in sliding
 * windows by weighted rules over concepts and by a linear classifier; a window's score is that of two independent witnesses,
 * 1 - (1 - rules)(1 - classifier); the text's score is its highest window's, weighed by scope. Work per chunk is bounded (views.ts),
 * so the whole is linear in the length of the text.
 *
 * Known limits: an attack spread over several messages is seen only in pieces; a language without a lexicon is judged by the
 * classifier's word and letter features alone; polite orders in a document that name no model and hide nothing look like a letter.
 */
import type { TextScope, TextSpan } from '../../completion/text-span.ts'
import { takeAll, type Steps } from '../../steps.ts'
import { parseWeights, type ClassifierWeights } from './classifier/weights.ts'
import type { InjectionFamily } from './rules/rule.ts'
import { scopePolicy, type ScopePolicy } from './scopes.ts'
import { viewsOf, type View } from './text/views.ts'
import { highestWindow, type WindowScore } from './window-score.ts'

/** What the detector says about a request. Never holds text of the request. */
export interface InjectionVerdict {
  /** 0 (nothing found) to 1. */
  readonly score: number
  /** Where the highest score stands; undefined where there was no text. */
  readonly scope: TextScope | undefined
  /** What was tried, strongest first. */
  readonly families: readonly InjectionFamily[]
  /** Names of the rules that were met there. */
  readonly rules: readonly string[]
  /** How the text was hidden: an encoding, `plain-words` for disguised letters; undefined where it stood open. */
  readonly encoding: View['encoding']
  /** Length of what was examined, in UTF-16 code units. */
  readonly examined: number
}

export interface InjectionDetector {
  /** Scores all texts of a request. Never throws on any text. */
  score(spans: Iterable<TextSpan>): InjectionVerdict
  /** The same, a reading of a chunk at a time. */
  scoreInSteps(spans: Iterable<TextSpan>): Steps<InjectionVerdict>
}

/** Refuse from this score where the organization sets none. Set on the evaluation texts of training/injection. */
export const DEFAULT_INJECTION_THRESHOLD = 0.5

/** Long texts are read in chunks, so that memory and the readings' budget stay small. In UTF-16 code units. */
const CHUNK = 32_768
/** Chunks overlap so that an attack on the edge is whole in one of them. */
const CHUNK_OVERLAP = 2048
/** Hiding an order is part of an attack. */
const DECODED_LOG_ODDS = 1
/** Disguised words are read back by guess, so the classifier says less about them. */
const PLAIN_WORDS_LOG_ODDS = -0.8
/** Rules count as found where they alone reach this; below, the classifier is named. */
const TELLING_CLASSIFIER = 0.3

/**
 * @param weights bytes of the shipped weights file
 * @throws {RangeError} where they are not weights of this version
 */
export function createInjectionDetector(weights: Uint8Array): InjectionDetector {
  const classifier = parseWeights(weights)
  return {
    score: (spans) => takeAll(scoreSpans(classifier, spans)),
    scoreInSteps: (spans) => scoreSpans(classifier, spans),
  }
}

function* scoreSpans(classifier: ClassifierWeights, spans: Iterable<TextSpan>): Steps<InjectionVerdict> {
  let highest: InjectionVerdict = {
    score: 0,
    scope: undefined,
    families: [],
    rules: [],
    encoding: undefined,
    examined: 0,
  }
  let examined = 0
  for (const span of spans) {
    examined += span.text.length
    for (const chunk of chunksOf(span.text)) {
      for (const view of viewsOf(chunk)) {
        const verdict = scoreView(classifier, view, span)
        if (verdict.score > highest.score) highest = verdict
        yield
      }
    }
  }
  return { ...highest, examined }
}

function* chunksOf(text: string): Iterable<string> {
  for (let from = 0; from < text.length; from += CHUNK - CHUNK_OVERLAP) {
    yield text.slice(from, from + CHUNK)
    if (from + CHUNK >= text.length) return
  }
}

function scoreView(classifier: ClassifierWeights, view: View, span: TextSpan): InjectionVerdict {
  const policy = scopePolicy(span)
  const best = highestWindow(classifier, view.text, {
    document: policy.document,
    decoded: isDecoded(view),
    logOdds: policy.logOdds + viewLogOdds(view),
    textLength: span.text.length,
  })
  return verdictOf(best, view, span.scope, policy)
}

function viewLogOdds(view: View): number {
  if (view.encoding === 'plain-words') return PLAIN_WORDS_LOG_ODDS
  return isDecoded(view) ? DECODED_LOG_ODDS : 0
}

function isDecoded(view: View): boolean {
  return (
    view.encoding !== undefined &&
    view.encoding !== 'escape' &&
    view.encoding !== 'plain-words' &&
    view.encoding !== 'split'
  )
}

function verdictOf(best: WindowScore, view: View, scope: TextScope, policy: ScopePolicy): InjectionVerdict {
  const votes = [...best.votes].toSorted((one, other) => other[1] - one[1]).map(([vote]) => vote)
  const families = new Set<InjectionFamily>(votes.map((vote) => vote.family))
  if (view.encoding === 'hidden') families.add('hidden-text')
  if (best.classified >= TELLING_CLASSIFIER) families.add('classifier')
  return {
    score: best.score * policy.factor,
    scope,
    families: [...families],
    rules: votes.map((vote) => vote.name),
    encoding: view.encoding,
    examined: 0,
  }
}
