/** Reading a provider's body to its end, within a bound. */
import { UpstreamFormatError } from '../../../domain/errors.ts'
import type { CompletionResult } from '../../../domain/completion/result.ts'
import type { Format } from '../../../domain/formats/format.ts'
import type { JsonObject } from '../../../domain/json.ts'
import { UNCOUNTED_BYTES, type AnswerShare } from '../memory/answer-memory.ts'
import { withoutMark } from '../reading/byte-order-mark.ts'
import { AttemptError, type ProviderReply } from '../ports.ts'
import { parseExactDocument } from '../reading/parse-document.ts'
import { structureCost } from '../reading/structure-cost.ts'

/** An answer of 32 MiB holds some eight million tokens; anything above is a broken or hostile server. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/**
 * A chat answer, whose values fit the process. Judged from its bytes, before anything is built.
 * @throws as `readWhole`, {UpstreamFormatError} where its values do not
 */
export async function readAnswer(reply: ProviderReply, openShare: () => AnswerShare): Promise<Uint8Array> {
  let share: AnswerShare | undefined
  const bytes = await readWhole(reply, MAX_ANSWER_BYTES, () => (share ??= openShare()))
  if (share !== undefined && structureCost(bytes) > share.mostValueBytes)
    throw new UpstreamFormatError('the answer holds more values than there is memory for')
  return bytes
}

/**
 * The body, at once where it has come whole, without the byte order mark that it may begin with.
 * @param openShare the share that a large body takes; absent where none is large
 * @throws {AttemptError} where it breaks off or is larger than `maxBytes`; as `AnswerShare.hold`.
 */
export function readWhole(
  reply: ProviderReply,
  maxBytes: number,
  openShare?: () => AnswerShare,
): Uint8Array | Promise<Uint8Array> {
  const whole = reply.takeWhole?.()
  if (whole === undefined) return gather(reply, maxBytes, openShare)
  checkLength(whole.length, maxBytes)
  return withoutMark(whole)
}

async function gather(
  reply: ProviderReply,
  maxBytes: number,
  openShare: (() => AnswerShare) | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  let share: AnswerShare | undefined
  for await (const chunk of reply.body) {
    length += chunk.length
    checkLength(length, maxBytes)
    chunks.push(chunk)
    if (length > UNCOUNTED_BYTES) await (share ??= openShare?.())?.hold(length)
  }
  const [only] = chunks
  return withoutMark(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length))
}

function checkLength(length: number, maxBytes: number): void {
  if (length > maxBytes) throw new AttemptError('protocol', `the answer is larger than ${maxBytes} bytes`)
}

/**
 * A chat answer's document. Its memory is bounded before anything is built: `[],` is 3 bytes of text and 60 of memory.
 * @throws {UpstreamFormatError}
 */
export function parseAnswer(bytes: Uint8Array): JsonObject {
  if (holdsTooMuch(bytes)) {
    throw new UpstreamFormatError('the answer holds too many objects and arrays')
  }
  try {
    return parseExactDocument(bytes)
  } catch (cause) {
    throw new UpstreamFormatError('the answer is not a JSON object', cause)
  }
}

/**
 * A chat answer's meaning.
 * @throws {UpstreamFormatError}, which says so where it tells of an error though its status promised an answer
 */
export function parseResult(bytes: Uint8Array, format: Format): CompletionResult {
  const document = parseAnswer(bytes)
  try {
    return format.parseResult(document)
  } catch (cause) {
    if (cause instanceof UpstreamFormatError && document.error)
      throw new UpstreamFormatError('the provider reported an error in place of an answer', cause)
    throw cause
  }
}

/**
 * The beginning of an error body: enough to read its message, never more. Breaking off is no error here, and it is not
 * waited for long: its status has said already that somebody else is to be asked.
 */
export async function readErrorBody(reply: ProviderReply, patienceMs = ERROR_BODY_MS): Promise<Uint8Array> {
  const late = Promise.withResolvers<Uint8Array>()
  const timer = setTimeout(() => late.resolve(new Uint8Array()), patienceMs)
  try {
    return await Promise.race([readWhole(reply, MAX_ERROR_BYTES), late.promise])
  } catch {
    return new Uint8Array()
  } finally {
    clearTimeout(timer)
    await reply.body[Symbol.asyncIterator]().return?.()
  }
}

const MAX_ERROR_BYTES = 256 * 1024
/** Vendors send head and body of an error at once. */
const ERROR_BODY_MS = 3_000

/** Log probabilities of 20 alternatives for 24,000 tokens are so many. */
const MAX_CONTAINERS = 1_000_000

/** Brackets inside of texts count too: no answer says a million. */
function holdsTooMuch(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_CONTAINERS) return false
  let count = 0
  for (let index = 0; index < bytes.length && count <= MAX_CONTAINERS; index++) {
    const byte = bytes[index]
    if (byte === 0x7b || byte === 0x5b) count++
  }
  return count > MAX_CONTAINERS
}
