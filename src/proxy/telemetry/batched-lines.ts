/**
 * Lines to a file descriptor, several in one write. Under load a write for each line costs more than making the line:
 * lines wait for company for `FLUSH_MS`, or while the write before them is under way.
 *
 * The entries call `flushSync` when the process exits, however it does unless it is killed; a write that is under way
 * then is finished by Node.
 */
import { write, writeSync } from 'node:fs'

/** Longest time that a line waits for others, milliseconds: a write wakes another thread, which costs as much as ten lines. */
const FLUSH_MS = 25
/** So much is written at once without waiting. */
const FLUSH_CHARACTERS = 64 * 1024
/** Pause before a full pipe is tried again. */
const RETRY_MS = 20
/** How often, while exiting: a reader that has stopped must not keep the process. */
const EXIT_RETRIES = 10

export class BatchedLines {
  readonly #descriptor: number
  readonly #maxCharacters: number
  #pending = ''
  #writing = false
  #broken = false
  #timer: NodeJS.Timeout | undefined

  /** @param maxCharacters of lines waiting for a slow reader; more are dropped rather than kept in memory */
  constructor(descriptor: number, maxCharacters: number) {
    this.#descriptor = descriptor
    this.#maxCharacters = maxCharacters
  }

  /** Takes one line, its line feed included. Never waits, never throws. */
  write(line: string): void {
    if (this.#broken || this.#pending.length + line.length > this.#maxCharacters) return
    this.#pending += line
    if (this.#writing) return
    if (this.#pending.length >= FLUSH_CHARACTERS) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
  }

  /** Writes out what is buffered before it returns. */
  flushSync(): void {
    let rest = this.#take()
    for (let retries = EXIT_RETRIES; rest.length > 0 && retries > 0; retries -= 1) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest))
      } catch (error) {
        if (!isFull(error)) return this.#break()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
    }
  }

  #flush(): void {
    if (this.#writing || this.#pending === '') return
    this.#writing = true
    this.#write(this.#take())
  }

  #write(bytes: Buffer): void {
    write(this.#descriptor, bytes, (error, written) => {
      if (error !== null && !isFull(error)) return this.#break()
      const rest = bytes.subarray(error === null ? written : 0)
      if (error !== null) return void setTimeout(() => this.#write(rest), RETRY_MS)
      if (rest.length > 0) return this.#write(rest)
      this.#writing = false
      this.#flush()
    })
  }

  #take(): Buffer {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const bytes = Buffer.from(this.#pending)
    this.#pending = ''
    return bytes
  }

  /** Nobody reads any more: what is logged is lost, the process goes on. */
  #break(): void {
    this.#broken = true
    this.#pending = ''
  }
}

/** A pipe or terminal that does not wait and takes no more for now. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}
