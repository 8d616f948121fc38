/**
 * Replies of Redis (RESP 2) out of the bytes of a connection, however these are split.
 *
 *     +text  -error  :integer  $length bytes  *count replies
 *
 * A list that has not come as a whole waits on a stack, so that no byte is parsed twice; a bulk that has not come as a
 * whole waits as bytes.
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/
 */

/** Text, an integer, bytes, null or a list of these; an `Error` where the server answered with one. */
export type Reply = string | number | Buffer | null | Error | Reply[]

export interface ReplyReader {
  /** Whether the bulks of the reply that is being read are wanted as bytes. */
  wantsBytes(): boolean
  reply(reply: Reply): void
}

/** A list that is being read. */
interface OpenList {
  readonly items: Reply[]
  missing: number
}

const CR = 0x0d
/** Deeper replies there are none; a broken server must not fill the memory. */
const MAX_DEPTH = 16
/** As Redis's own `proto-max-bulk-len`. */
const MAX_BULK_BYTES = 512 * 1024 * 1024

export class ReplyParser {
  readonly #reader: ReplyReader
  readonly #open: OpenList[] = []
  #rest: Buffer | undefined

  constructor(reader: ReplyReader) {
    this.#reader = reader
  }

  /** @throws {TypeError} where the bytes are no replies: the connection is of no use any more */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = undefined
    let at = 0
    while (at < bytes.length) {
      const next = this.#readOne(bytes, at)
      if (next === undefined) {
        this.#rest = bytes.subarray(at)
        return
      }
      at = next
    }
  }

  /** Where the next one begins; undefined where this one has not come as a whole. */
  #readOne(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf(CR, at + 1)
    if (end === -1 || end + 1 >= bytes.length) return undefined
    const next = end + 2
    switch (bytes[at]) {
      case 0x2b: // +
        this.#put(bytes.toString('utf8', at + 1, end))
        return next
      case 0x2d: // -
        this.#put(new Error(bytes.toString('utf8', at + 1, end)))
        return next
      case 0x3a: // :
        this.#put(integerIn(bytes, at + 1, end))
        return next
      case 0x24: // $
        return this.#readBulk(bytes, next, integerIn(bytes, at + 1, end))
      case 0x2a: // *
        this.#openList(integerIn(bytes, at + 1, end))
        return next
      default:
        throw new TypeError('Redis sent what is no reply')
    }
  }

  #readBulk(bytes: Buffer, start: number, length: number): number | undefined {
    if (length > MAX_BULK_BYTES) throw new TypeError('Redis sent a reply that is too large')
    if (length < 0) {
      this.#put(null)
      return start
    }
    const end = start + length
    if (end + 2 > bytes.length) return undefined
    // A copy: a view would keep the whole read of the socket alive.
    this.#put(this.#reader.wantsBytes() ? Buffer.from(bytes.subarray(start, end)) : bytes.toString('utf8', start, end))
    return end + 2
  }

  #openList(count: number): void {
    if (count < 0) return this.#put(null)
    if (count === 0) return this.#put([])
    if (this.#open.length >= MAX_DEPTH) throw new TypeError('Redis sent a reply that is too deep')
    this.#open.push({ items: [], missing: count })
  }

  /** Hands a reply to the list that waits for it, and what that completes to the next one, up to the reader. */
  #put(reply: Reply): void {
    let complete = reply
    for (let list = this.#open.at(-1); list !== undefined; list = this.#open.at(-1)) {
      list.items.push(complete)
      if (--list.missing > 0) return
      this.#open.pop()
      complete = list.items
    }
    this.#reader.reply(complete)
  }
}

function integerIn(bytes: Buffer, start: number, end: number): number {
  const isNegative = bytes[start] === 0x2d
  let value = 0
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const digit = (bytes[at] ?? 0) - 0x30
    if (digit < 0 || digit > 9) throw new TypeError('Redis sent what is no integer')
    value = value * 10 + digit
  }
  return isNegative ? -value : value
}
