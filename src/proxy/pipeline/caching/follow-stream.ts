/**
 * A stream that one request leads and others with equal requests follow (shared-stream.ts): who may follow, and how the
 * leader's redaction tokens become a follower's own, whose values are then restored as in any answer of its.
 */
import type { TokenOrdinals } from '../../../domain/caching/token-ordinals.ts'
import type { StreamTextRewriter } from '../../../domain/formats/format.ts'
import { StreamRestorer } from '../../../domain/guardrails/masking/restoring/stream-restorer.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Answer, StreamAnswer } from '../call-provider.ts'
import type { StreamItem } from '../streaming/item-stream.ts'
import type { RequestRecord } from '../request-record.ts'
import type { AnswerRestorer } from '../respond.ts'
import { SharedStream } from '../streaming/shared-stream.ts'
import type { LiveAnswer } from './single-flight.ts'
import type { Keeper } from './cacheable.ts'

/** The answer as its leader reads it. What its client does not live to see is still counted in its record. */
export function shareStream(
  answer: StreamAnswer,
  tokens: TokenOrdinals,
  record: RequestRecord,
  keeper: Keeper,
): StreamAnswer {
  const { deployment, format, items } = answer
  const stream = new SharedStream({
    source: items,
    format,
    unseen: (batch) => countUnseen(batch, record),
    abort: () => record.upstream?.abort(),
    letLeaderGo: () => record.incoming.letGo(),
  })
  keeper.share({ deployment, format, stream, tokens })
  return { ...answer, items: stream.leader }
}

/** Undefined where the stream can be followed no more. */
export function followStream(
  live: LiveAnswer,
  deployment: Deployment,
  tokens: TokenOrdinals,
  { incoming }: RequestRecord,
): Answer | undefined {
  const items = live.stream.follow(incoming.signal, () => incoming.letGo())
  const { format } = live
  return items && { type: 'stream', deployment, format, items, foreignTokens: ownTokens(live.tokens, tokens) }
}

/** `restorer`, after the tokens of another request have become this one's. */
export function restorerFor(answer: Answer, restorer: AnswerRestorer | undefined): AnswerRestorer | undefined {
  const foreign = answer.type === 'stream' ? answer.foreignTokens : undefined
  if (foreign === undefined) return restorer
  return {
    restore: (text, scope) => restorer?.restore(text, scope) ?? text,
    createStreamRewriter: () => {
      const first = new StreamRestorer({ tokens: () => [...foreign.keys()], valueOf: (token) => foreign.get(token) })
      const second = restorer?.createStreamRewriter()
      return second === undefined ? first : inTurn(first, second)
    },
  }
}

/** The leader's tokens with the follower's for the same places; undefined where they are the same. */
function ownTokens(theirs: TokenOrdinals, own: TokenOrdinals): ReadonlyMap<string, string> | undefined {
  const pairs = theirs.tokens().map((token) => [token, own.fromOrdinals(theirs.toOrdinals(token))] as const)
  return pairs.every(([token, mine]) => token === mine) ? undefined : new Map(pairs)
}

function inTurn(first: StreamTextRewriter, second: StreamTextRewriter): StreamTextRewriter {
  /** What a channel holds, for what the first gives back at its end. */
  const kinds = new Map<string, 'text' | 'json'>()
  return {
    push(channel, kind, delta) {
      kinds.set(channel, kind)
      return second.push(channel, kind, first.push(channel, kind, delta))
    },
    flush(channel) {
      const held = second.push(channel, kinds.get(channel) ?? 'text', first.flush(channel))
      kinds.delete(channel)
      return held + second.flush(channel)
    },
  }
}

function countUnseen(items: readonly StreamItem[], record: RequestRecord): void {
  for (const { parts } of items) for (const part of parts) record.meter.saw(part)
}
