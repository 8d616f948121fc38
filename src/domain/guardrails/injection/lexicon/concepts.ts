/** What words of an attack stand for, whatever the language. A rule or a feature is written once, over concepts. */

/** Concepts by name; numbers are bit positions and features of the shipped weights: append only, then retrain. */
export const CONCEPTS = {
  /** ignore, forget, bypass, "do not follow" */
  override: 0,
  /** previous, above, until now, original */
  prior: 1,
  /** all, every, everything */
  all: 2,
  /** instructions, rules, guidelines, filters */
  instruction: 3,
  /** your, you were given */
  your: 4,
  /** system, developer, hidden, internal */
  system: 5,
  /** system prompt, initial prompt */
  systemPrompt: 6,
  /** reveal, print, repeat, translate */
  reveal: 7,
  /** password, secret, API key */
  secret: 8,
  /** act as, pretend, you are now */
  persona: 9,
  /** unrestricted, without limits, do anything now */
  free: 10,
  /** from now on, instead, henceforth */
  now: 11,
  /** "do not ignore", "don't forget": the opposite of an override */
  keep: 12,
  /** developer, administrator, debug mode, as claimed by the writer */
  authority: 13,
  /** AI, assistant, language model, chatbot */
  ai: 14,
  /** the user, the reader */
  user: 15,
  /** do not tell, secretly, without mentioning */
  conceal: 16,
  /** send, forward, upload, open */
  send: 17,
  /** conversation, e-mails, contacts, credentials */
  data: 18,
  /** an address: URL, e-mail, telephone number, account */
  address: 19,
  /** say, answer, respond, output */
  say: 20,
  /** only, exactly, nothing else */
  only: 21,
  /** weapons, malware, fraud and the like */
  harm: 22,
  /** words of those who talk ABOUT attacks: injection, vulnerability, detect */
  meta: 23,
  /** what, why, how, explain */
  question: 24,
  /** new instructions, new task, actual task */
  newTask: 25,
  /** important, urgent, attention, warning */
  alarm: 26,
  /** please, must, should, have to */
  request: 27,
  /** this text, document, e-mail, web page; summarise */
  document: 28,
  /** names of known personas and modes: DAN, developer mode, jailbreak */
  jailbreak: 29,
  /** what was said rather than ordered: message, text, context, conversation */
  talk: 30,
} as const

export type ConceptName = keyof typeof CONCEPTS

/** Count of concepts; must stay below 32 so that a set is one small integer. */
export const CONCEPT_COUNT = 31

/**
 * Words of one language by concept, separated by blanks. `_` stands for a blank inside a phrase, a final `*` lets any ending
 * follow. Words are folded (case, accents) when the lexicon is compiled, so they may be written as usual.
 */
export type Lexicon = Readonly<Partial<Record<ConceptName, string>>>
