/**
 * Lines to a file descriptor, several in one write. Under load a write for each line costs more than making the line:
 * lines wait for company for `FLUSH_MS`, or while the write before them is under way.
 *
 * The entries call `flushSync` when the process exits, however it does unless it is killed; a write that is under way
 * then is finished by Node, but for what a pipe has no room for: an orderly end waits for `settled` before.
 */
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { isatty } from 'node:tty'

/**
 * Longest time that a line waits for others, milliseconds. A write wakes another thread: with a core for all of them, a third
 * of a millisecond in which nothing else goes on, as much as a hundred lines cost.
 */
const FLUSH_MS = 100
/** So much is written at once without waiting. */
const BATCH_BYTES = 64 * 1024
/** Of a UTF-16 unit in UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3
const LINE_FEED = 0x0a
const FULL: ReadonlySet<string> = new Set(['EAGAIN', 'ENOSPC', 'EDQUOT'])
/** Pauses before a full pipe is tried again, doubled each time: a reader at work makes room within the first. */
const RETRY_MIN_MS = 1
const RETRY_MS = 20
/** How often without any room, while exiting: a reader that has stopped must not keep the process. */
const EXIT_RETRIES = 25
/** How long an orderly end waits for a write that is under way. */
const SETTLE_MS = 500

/** A batch that is written as far as the pipe had room. */
interface Late {
  readonly batch: Batch
  readonly from: number
  readonly timer: NodeJS.Timeout
}

/** Lines that leave in one write. Encoded as they come: a long string of them would be copied twice more. */
interface Batch {
  readonly bytes: Buffer
  used: number
}

export class BatchedLines {
  readonly #descriptor: number
  readonly #maxBytes: number
  #batch = newBatch(0)
  /** Written before `#batch`, in this order: they came while a write was under way. */
  #full: Batch[] = []
  #fullBytes = 0
  /** Has been written, to be filled again. */
  #spare: Batch | undefined
  #writing = false
  /** Of `#writing`, where it waits for room. */
  #late: Late | undefined
  /** Told when a batch is written or waits for room; then no other is begun. */
  #onSettled: (() => void) | undefined
  #broken = false
  #timer: NodeJS.Timeout | undefined

  /** @param maxBytes of lines waiting for a slow reader; more are dropped rather than kept in memory */
  constructor(descriptor: number, maxBytes: number) {
    this.#descriptor = descriptor
    this.#maxBytes = maxBytes
  }

  /** Takes one line, its line feed included. Never waits, never throws. */
  write(line: string): void {
    if (!this.#makeRoom(line.length)) return
    this.#append(line)
    this.#schedule()
  }

  /** As `write`, of a line without its line feed. */
  writeLine(text: string): void {
    if (!this.#makeRoom(text.length + 1)) return
    this.#append(text)
    this.#batch.bytes[this.#batch.used++] = LINE_FEED
    this.#schedule()
  }

  /** Writes out what is buffered before it returns. */
  flushSync(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    let rest = Buffer.concat([this.#takeLate(), ...[...this.#full, this.#batch].map(writtenOf)])
    this.#forget()
    for (let retries = EXIT_RETRIES; rest.length > 0 && retries > 0; retries -= 1) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest))
        retries = EXIT_RETRIES
      } catch (error) {
        if (!isFull(error)) return this.#break()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
    }
  }

  /** Resolves when `flushSync` can write what is left in its order, or after a moment. Nothing else is written from then on. */
  async settled(): Promise<void> {
    if (!this.#writing || this.#late !== undefined) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, SETTLE_MS)
      this.#onSettled = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** What waits for room, to be written by somebody else. */
  #takeLate(): Buffer {
    if (this.#late === undefined) return Buffer.alloc(0)
    const { batch, from, timer } = this.#late
    clearTimeout(timer)
    this.#late = undefined
    this.#writing = false
    return batch.bytes.subarray(from, batch.used)
  }

  /** Has `#batch` take so many characters; false where they are to be dropped. */
  #makeRoom(characters: number): boolean {
    if (this.#broken || this.#fullBytes + this.#batch.used + characters > this.#maxBytes) return false
    const bytes = characters * MAX_BYTES_PER_CHARACTER
    if (this.#batch.used + bytes > this.#batch.bytes.length) this.#beginBatch(bytes)
    return true
  }

  #append(text: string): void {
    this.#batch.used += this.#batch.bytes.write(text, this.#batch.used)
  }

  #beginBatch(bytes: number): void {
    if (this.#batch.used > 0) {
      this.#full.push(this.#batch)
      this.#fullBytes += this.#batch.used
    }
    const spare = this.#spare
    this.#spare = undefined
    this.#batch = spare !== undefined && bytes <= spare.bytes.length ? spare : newBatch(Math.max(bytes, BATCH_BYTES))
  }

  /** What is full is written, the rest waits for company. */
  #schedule(): void {
    if (this.#writing || this.#onSettled !== undefined) return
    if (this.#full.length > 0) this.#flush()
    else if (this.#batch.used > 0) this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing) return
    if (this.#full.length === 0) this.#beginBatch(0)
    const batch = this.#full.shift()
    if (batch === undefined) return
    this.#fullBytes -= batch.used
    this.#writing = true
    this.#write(batch, 0)
  }

  #write(batch: Batch, from: number, retryMs = RETRY_MIN_MS): void {
    write(this.#descriptor, batch.bytes, from, batch.used - from, null, (error, written) => {
      if (error === null && from + written < batch.used) return this.#write(batch, from + written)
      this.#onSettled?.()
      if (error !== null) return isFull(error) ? this.#writeLater(batch, from, retryMs) : this.#break()
      this.#writing = false
      batch.used = 0
      if (batch.bytes.length === BATCH_BYTES) this.#spare = batch
      this.#schedule()
    })
  }

  #writeLater(batch: Batch, from: number, retryMs: number): void {
    const timer = setTimeout(() => {
      this.#late = undefined
      this.#write(batch, from, Math.min(2 * retryMs, RETRY_MS))
    }, retryMs)
    this.#late = { batch, from, timer }
  }

  #forget(): void {
    this.#batch = newBatch(0)
    this.#full = []
    this.#fullBytes = 0
  }

  /** Nobody reads any more: what is logged is lost, the process goes on. */
  #break(): void {
    this.#broken = true
    this.#spare = undefined
    this.#forget()
  }
}

/**
 * The descriptor for lines to `descriptor` by writes that do not wait, whatever it is but a file. A write that waits for a reader
 * that stands still holds one of Node's threads, and at the end the process: neither signal would end it.
 */
export function withoutWaiting(descriptor: number): number {
  const found = fstatSync(descriptor)
  if (!found.isFIFO() && !found.isSocket() && !isatty(descriptor)) return descriptor
  return openedAnew(descriptor) ?? madeNotToWait(descriptor)
}

/** A pipe or terminal of its own, so that those that share it notice nothing. Undefined: a socket, no right to, or no Linux. */
function openedAnew(descriptor: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return undefined
  }
}

/**
 * As Node does it with what it writes to as a stream. Those that share the socket or pipe do not wait either, until the process ends:
 * then Node makes standard output what it was. A terminal, or a socket of another kind, stays as it is.
 */
function madeNotToWait(descriptor: number): number {
  try {
    const stream = new Socket({ fd: descriptor, readable: false })
    stream.unref()
  } catch {
    // It waits.
  }
  return descriptor
}

function newBatch(size: number): Batch {
  return { bytes: Buffer.allocUnsafeSlow(size), used: 0 }
}

function writtenOf({ bytes, used }: Batch): Buffer {
  return bytes.subarray(0, used)
}

/** A pipe or terminal that does not wait and takes no more for now, or a disk without room: somebody will make some. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(String(error.code))
}
