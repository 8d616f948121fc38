/** Tokens in the parts of a stream, cut anywhere: over pieces, and over texts between which the model thought. */
import fc from 'fast-check'
import t from 'tap'
import type { StreamPart } from '../../../src/domain/completion/stream-part.ts'
import { PartRewriter } from '../../../src/domain/formats/part-rewriter.ts'
import { StreamRestorer } from '../../../src/domain/guardrails/masking/restoring/stream-restorer.ts'

const VALUES = new Map([
  ['[[LLM_REDACTED_EMAIL_aaaaaaaa]]', 'ada@example.com'],
  ['[[LLM_REDACTED_KEY_bbbbbbbb]]', 'a "quoted" key'],
])
const newRewriter = () =>
  new PartRewriter(new StreamRestorer({ tokens: () => [...VALUES.keys()], valueOf: (token) => VALUES.get(token) }))

function restored(text: string): string {
  return [...VALUES].reduce((whole, [token, value]) => whole.replaceAll(token, value), text)
}

const word = fc.constantFrom(
  ...VALUES.keys(),
  'x',
  ' ',
  '[',
  '[[LLM_',
  ']]',
  '"',
  'é',
  '[[LLM_REDACTED_EMAIL_zzzzzzzz]]',
)
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(''))

/** One text of the model, in blocks with thoughts between them, and pieces of any length. */
const thinking = fc.record({ text, cuts: fc.array(fc.nat(20), { maxLength: 30 }), thought: text })

t.test('a text is restored whole, wherever it is cut', async () => {
  fc.assert(
    fc.property(thinking, ({ text, cuts, thought }) => {
      const parts = [...thoughtParts('r0', thought), ...textParts(text, cuts, thought), finish()]
      const out = rewrite(parts)
      return (
        said(out, 'text-delta') === restored(text) &&
        said(out, 'reasoning-delta').startsWith(restored(thought)) &&
        isOrdered(out) &&
        out.at(-1)?.type === 'finish'
      )
    }),
    { numRuns: 2_000 },
  )
})

t.test('arguments stay JSON', async () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(20), { maxLength: 30 }), (value, cuts) => {
      const json = JSON.stringify({ value })
      const parts: StreamPart[] = [
        { type: 'tool-input-start', choice: 0, id: 'c', toolCallId: '1', toolName: 'f' },
        ...pieces(json, cuts).map((delta): StreamPart => ({ type: 'tool-input-delta', choice: 0, id: 'c', delta })),
        { type: 'tool-input-end', choice: 0, id: 'c' },
      ]
      const out = rewrite(parts)
      return (
        JSON.parse(said(out, 'tool-input-delta')).value === restored(value) && out.at(-1)?.type === 'tool-input-end'
      )
    }),
    { numRuns: 1_000 },
  )
})

t.test('what may be a token goes out before a call, a refusal, and at a break', async (t) => {
  const open: StreamPart[] = [
    { type: 'text-start', choice: 0, id: 'a' },
    { type: 'text-delta', choice: 0, id: 'a', delta: 'list: [[LLM_' },
    { type: 'text-end', choice: 0, id: 'a' },
  ]
  const call: StreamPart = { type: 'tool-input-start', choice: 0, id: 'c', toolCallId: '1', toolName: 'f' }
  const types = (parts: readonly StreamPart[]) => rewrite(parts).map(({ type }) => type)
  t.strictSame(types([...open, call]), ['text-start', 'text-delta', 'text-delta', 'text-end', 'tool-input-start'])
  const refusal: StreamPart = { type: 'refusal-delta', choice: 0, delta: 'no [' }
  t.strictSame(types([...open, refusal]), [
    'text-start',
    'text-delta',
    'text-delta',
    'text-end',
    'refusal-delta',
    'refusal-delta',
  ])
  t.equal(said(rewrite(open), 'text-delta'), 'list: [[LLM_')
})

function rewrite(parts: readonly StreamPart[]): StreamPart[] {
  const rewriter = newRewriter()
  return [...parts.flatMap((part) => rewriter.push(part)), ...rewriter.end()]
}

function textParts(text: string, cuts: readonly number[], thought: string): StreamPart[] {
  let block = 0
  const parts: StreamPart[] = [{ type: 'text-start', choice: 0, id: 't0' }]
  pieces(text, cuts).forEach((delta, index) => {
    if (index % 3 === 2) {
      parts.push({ type: 'text-end', choice: 0, id: `t${block++}` }, ...thoughtParts(`r${block}`, thought))
      parts.push({ type: 'text-start', choice: 0, id: `t${block}` })
    }
    parts.push({ type: 'text-delta', choice: 0, id: `t${block}`, delta })
  })
  return [...parts, { type: 'text-end', choice: 0, id: `t${block}` }]
}

function thoughtParts(id: string, delta: string): StreamPart[] {
  return [
    { type: 'reasoning-start', choice: 0, id },
    { type: 'reasoning-delta', choice: 0, id, delta },
    { type: 'reasoning-end', choice: 0, id },
  ]
}

function finish(): StreamPart {
  return { type: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } }
}

/** @param cuts lengths of pieces; the rest is one */
function pieces(text: string, cuts: readonly number[]): string[] {
  let from = 0
  const out = cuts.map((length) => text.slice(from, (from += length)))
  return [...out, text.slice(from)]
}

function said(parts: readonly StreamPart[], type: StreamPart['type']): string {
  return parts.map((part) => (part.type === type && 'delta' in part ? part.delta : '')).join('')
}

/** Every piece of a text is between the start and the end of its block, each of which comes once. */
function isOrdered(parts: readonly StreamPart[]): boolean {
  const open = new Set<string>()
  const seen = new Set<string>()
  for (const part of parts) {
    if (part.type === 'text-start') {
      if (seen.has(part.id)) return false
      seen.add(part.id)
      open.add(part.id)
    } else if (part.type === 'text-delta' && !open.has(part.id)) return false
    else if (part.type === 'text-end' && !open.delete(part.id)) return false
  }
  return open.size === 0
}
