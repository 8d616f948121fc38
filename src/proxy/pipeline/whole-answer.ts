/** A whole answer leaves: it settles, and what a large one holds of the budget goes with it, until its client has it. */
import { partsOf } from '../../domain/completion/assemble.ts'
import { noMemoryForAnswer, UNCOUNTED_BYTES, type AnswerShare } from './memory/answer-memory.ts'
import type { StreamAnswer, WholeAnswer } from './call-provider.ts'
import type { Outgoing, ResponseHeaders } from './exchange.ts'
import { knownItems } from './streaming/item-stream.ts'
import type { RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'
import type { Settle } from './settle.ts'
import { addCostHeaders, addWarnings } from './answer-headers.ts'

type Whole = Extract<Outgoing, { type: 'whole' }>

/** @param headers completed by the answer's own. @throws (the promise rejects) {NoMemoryError} where one of the cache finds no room */
export function wholeAnswer(
  body: string | Uint8Array,
  headers: ResponseHeaders,
  settle: Settle,
  record: RequestRecord,
  services: Pick<Services, 'answers'>,
): Whole | Promise<Whole> {
  if (body.length > UNCOUNTED_BYTES) return largeAnswer(body, headers, settle, record, services)
  const settling = settle('answered')
  return settling === undefined ? rendered(body, headers, record) : settling.then(() => rendered(body, headers, record))
}

/** @throws {NoMemoryError} */
async function largeAnswer(
  body: string | Uint8Array,
  headers: ResponseHeaders,
  settle: Settle,
  record: RequestRecord,
  services: Pick<Services, 'answers'>,
): Promise<Whole> {
  const share = waitsForClient(Buffer.byteLength(body), record, services)
  record.memory.handOverShare()
  await settle('answered')
  return { ...rendered(body, headers, record), release: () => share.release() }
}

/**
 * A large answer is known whole. What a provider was paid for has its room from its reading, and is sent in any case.
 * @throws {NoMemoryError} where one of the cache finds none
 */
export function waitsForClient(
  memoryBytes: number,
  record: RequestRecord,
  { answers }: Pick<Services, 'answers'>,
): AnswerShare {
  const share = record.memory.clientShare(answers, record.upstreamSignal)
  if (!share.holdUnread(memoryBytes) && record.isCacheHit) throw noMemoryForAnswer()
  return share
}

/** One that is known whole (forced JSON, an answer of the cache), for a client that asked for a stream. */
export function asStream({ deployment, format, result, bytes }: WholeAnswer): StreamAnswer {
  const items = knownItems([{ parts: [...partsOf(result)] }])
  return { type: 'stream', deployment, format, items, knownBytes: bytes.length }
}

function rendered(body: string | Uint8Array, headers: ResponseHeaders, record: RequestRecord): Whole {
  addCostHeaders(headers, record)
  addWarnings(headers, record)
  headers['content-type'] = 'application/json'
  return { type: 'whole', status: 200, headers, body }
}
