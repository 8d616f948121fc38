/** The rules over concepts. Weights are set by hand and checked on the evaluation texts of training/injection. */
import type { ConceptRule, InjectionFamily } from './rule.ts'

type Groups = ConceptRule['groups']

function rule(
  family: InjectionFamily,
  name: string,
  weights: readonly [message: number, tool: number],
  span: number,
  groups: Groups,
): ConceptRule {
  return { name, family, weight: weights[0], toolWeight: weights[1], span, groups }
}

export const CONCEPT_RULES: readonly ConceptRule[] = [
  // Set earlier orders aside.
  rule('override', 'override-prior-instructions', [0.75, 0.9], 9, [['override'], ['prior'], ['instruction']]),
  rule('override', 'override-your-instructions', [0.6, 0.85], 7, [['override'], ['your'], ['instruction']]),
  rule('override', 'override-system', [0.45, 0.5], 6, [['override'], ['system'], ['instruction']]),
  rule('override', 'override-all-instructions', [0.35, 0.65], 6, [['override'], ['all'], ['instruction']]),
  rule('override', 'override-system-prompt', [0.7, 0.9], 6, [['override'], ['systemPrompt']]),
  rule('override', 'override-all-prior', [0.3, 0.6], 6, [['override'], ['all'], ['prior']]),
  rule('override', 'override-prior-talk', [0.25, 0.5], 6, [['override'], ['prior'], ['talk']]),
  rule('override', 'override-all-talk', [0.15, 0.4], 6, [['override'], ['all'], ['prior', 'your'], ['talk']]),
  rule('override', 'override-then-new-task', [0.45, 0.7], 16, [
    ['override'],
    ['prior', 'instruction', 'all'],
    ['newTask'],
  ]),
  rule('override', 'override-then-reveal', [0.3, 0.5], 24, [
    ['override'],
    ['prior', 'instruction'],
    ['reveal'],
    ['your', 'secret', 'systemPrompt'],
  ]),
  rule('override', 'override-then-say', [0.25, 0.4], 20, [
    ['override'],
    ['prior', 'instruction'],
    ['say', 'now'],
    ['only', 'now'],
  ]),
  // Have the prompt or a secret told.
  rule('prompt-leak', 'reveal-system-prompt', [0.55, 0.7], 9, [['reveal', 'say'], ['systemPrompt']]),
  rule('prompt-leak', 'reveal-your-instructions', [0.35, 0.55], 7, [['reveal'], ['your'], ['instruction']]),
  rule('prompt-leak', 'reveal-hidden-instructions', [0.45, 0.6], 7, [['reveal'], ['system'], ['instruction']]),
  rule('prompt-leak', 'reveal-prior-instructions', [0.3, 0.3], 8, [['reveal', 'say'], ['prior'], ['instruction']]),
  rule('prompt-leak', 'reveal-prior-verbatim', [0.3, 0.4], 14, [['reveal'], ['prior'], ['talk'], ['only', 'all']]),
  rule('secret-leak', 'reveal-your-secret', [0.35, 0.5], 6, [['reveal'], ['your'], ['secret']]),
  rule('secret-leak', 'reveal-secret-against-rules', [0.4, 0.5], 20, [
    ['reveal'],
    ['secret'],
    ['override', 'authority', 'persona'],
  ]),
  // Be someone without limits.
  rule('persona', 'persona-without-limits', [0.5, 0.7], 40, [['persona'], ['free']]),
  rule('persona', 'ai-without-limits', [0.35, 0.5], 16, [['ai'], ['free']]),
  rule('persona', 'named-jailbreak-mode', [0.5, 0.6], 40, [['jailbreak'], ['persona', 'now', 'free', 'ai']]),
  rule('persona', 'without-limits-and-rules', [0.3, 0.5], 30, [['free'], ['override', 'now'], ['instruction']]),
  rule('persona', 'unlimited-answers', [0.25, 0.4], 40, [['free'], ['harm'], ['say', 'persona', 'now']]),
  // Claim a right.
  rule('authority', 'authority-against-rules', [0.35, 0.6], 24, [['authority'], ['override'], ['instruction', 'free']]),
  rule('authority', 'authority-asks-secret', [0.35, 0.6], 24, [
    ['authority'],
    ['reveal'],
    ['secret', 'systemPrompt', 'instruction'],
  ]),
  rule('authority', 'authority-mode-now', [0.2, 0.4], 16, [['authority'], ['persona', 'now'], ['ai', 'your']]),
  // Replace the task.
  rule('hijack', 'new-task-now', [0.3, 0.6], 14, [['newTask'], ['now', 'your', 'alarm']]),
  rule('hijack', 'persona-now-only', [0.1, 0.3], 14, [['now'], ['persona'], ['only']]),
  // Orders to the model inside documents.
  rule('indirect', 'ai-must', [0.15, 0.6], 16, [
    ['ai'],
    ['request', 'alarm'],
    ['say', 'send', 'override', 'conceal', 'only', 'newTask'],
  ]),
  rule('indirect', 'ai-alarm', [0.15, 0.45], 10, [['ai'], ['alarm', 'newTask']]),
  rule('indirect', 'hide-from-user', [0.45, 0.75], 8, [['conceal'], ['user']]),
  rule('indirect', 'do-silently', [0.15, 0.4], 16, [['conceal'], ['send', 'say', 'reveal']]),
  rule('indirect', 'reader-of-document', [0.2, 0.45], 20, [
    ['document'],
    ['ai', 'alarm'],
    ['say', 'send', 'override', 'only', 'newTask'],
  ]),
  rule('indirect', 'new-task-in-document', [0.1, 0.4], 20, [['newTask'], ['say', 'send', 'reveal', 'override']]),
  rule('exfiltration', 'send-data-to-address', [0.05, 0.2], 24, [['send'], ['data', 'secret'], ['address']]),
  rule('exfiltration', 'send-prompt-or-secret', [0.1, 0.15], 12, [
    ['send'],
    ['systemPrompt', 'secret'],
    ['address', 'your', 'all'],
  ]),
]
