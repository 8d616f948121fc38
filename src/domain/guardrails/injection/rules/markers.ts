/**
 * Structure that has no place in a message or a document: chat template tokens, forged turns, ends of a prompt that is not theirs
 * to end, addresses that carry data out. Patterns read folded text; each has bounded repetition between literals, so that no input
 * makes them quadratic, and gives at most MAX_MARKS marks.
 */
import type { Tokens } from '../tokens.ts'
import type { Firing, InjectionFamily, Vote } from './rule.ts'

interface Marker extends Vote {
  readonly pattern: RegExp
}

const MAX_MARKS = 32

function marker(
  family: InjectionFamily,
  name: string,
  weights: readonly [message: number, tool: number],
  pattern: RegExp,
): Marker {
  return { name, family, weight: weights[0], toolWeight: weights[1], pattern }
}

const MARKERS: readonly Marker[] = [
  marker(
    'fake-turn',
    'template-token',
    [0.4, 0.6],
    /<\|?(?:im_start|im_end|im_sep|start_header_id|end_header_id|eot_id|endoftext|endofprompt|start_of_turn|end_of_turn|begin_of_text|end_of_text|system|assistant)\|?>/g,
  ),
  marker(
    'fake-turn',
    'template-bracket',
    [0.35, 0.55],
    /\[\/?inst\]|<<\/?sys>>|<\/(?:system|system_prompt|instructions|user_input|user_query|context|document|prompt|input)>/g,
  ),
  marker(
    'fake-turn',
    'bracketed-system',
    [0.35, 0.6],
    /[[({<]{1,2} ?(?:system|admin|administrator|developer|root|override)(?: (?:message|note|notice|override|prompt|instructions?|update|alert|error|mode|command))? ?[\])}>:]{1,2}/g,
  ),
  marker(
    'fake-turn',
    'forged-system-line',
    [0.25, 0.4],
    /(?:^|\n) {0,4}(?:[#*]{1,4} ?)?(?:system|developer|admin|sysadmin)(?: (?:message|prompt|note|override|notice))?(?:\*{1,2})? ?:/g,
  ),
  marker(
    'fake-turn',
    'forged-assistant-line',
    [0.2, 0.3],
    /\n {0,4}(?:[#*]{1,4} ?)?(?:assistant|ai|chatgpt|chatbot|claude|model|bot)(?:\*{1,2})? ?:/g,
  ),
  marker(
    'fake-turn',
    'forged-heading',
    [0.2, 0.45],
    /(?:^|\n)#{1,4} ?(?:new |updated |additional |real |end of )?(?:system|instructions?|prompt|task|response|user|admin)\b/g,
  ),
  marker(
    'fake-turn',
    'forged-end',
    [0.35, 0.6],
    /(?<![-=#*<[])[-=#*<[]{2,80} ?(?:end of|end|stop|begin|start of|new|ignore above) ?(?:the )?(?:\w{1,12} )?(?:document|prompt|instructions?|context|input|text|data|conversation|session|file|email|query|system|task|rules)/g,
  ),
  marker(
    'exfiltration',
    'image-carries-data',
    [0.4, 0.7],
    /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{3,200}[?&/=](?:\{|\[|<|%7b|\$|summary|data|secret|history|user)/g,
  ),
  marker(
    'exfiltration',
    'url-carries-data',
    [0.25, 0.5],
    /https?:\/\/[^\s"'<>()[\]{}]{3,200}[?&][\w-]{1,24}=(?:\{|\[|<|%7b|\$\{)/g,
  ),
]

/** Markers of a folded text as firings, not in the order of the text. */
export function findMarkers(text: string, tokens: Tokens): Firing[] {
  const firings: Firing[] = []
  for (const rule of MARKERS) {
    let marks = 0
    for (const match of text.matchAll(rule.pattern)) {
      firings.push({ rule, token: tokenAt(tokens, match.index) })
      if (++marks >= MAX_MARKS) break
    }
  }
  return firings
}

/** The first token that ends after the offset; binary search. */
function tokenAt(tokens: Tokens, offset: number): number {
  let low = 0
  let high = tokens.count
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tokens.ends[middle] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return Math.min(low, Math.max(tokens.count - 1, 0))
}
