/**
 * Lines to a file descriptor, several in one write. Under load a write per line costs more than making the line: lines
 * wait for company for `FLUSH_MS`, or until `FLUSH_BYTES` of them are there. The destination writes what is left when
 * the process exits, however it does unless it is killed.
 */
import pino from 'pino'

export interface Lines {
  /** Takes one line, its line feed included. Never waits. */
  write(line: string): void
  /** Writes out what is buffered, before it returns. */
  flushSync(): void
}

/** Longest time that a line waits, milliseconds. */
const FLUSH_MS = 5
/** Below the 16 KiB that one write takes. */
const FLUSH_BYTES = 12 * 1024

/** @param maxBufferedBytes lines waiting for a slow reader; more are dropped rather than kept in memory */
export function batchedLines(descriptor: number, maxBufferedBytes: number): Lines {
  const options = { dest: descriptor, sync: false, minLength: FLUSH_BYTES, maxLength: maxBufferedBytes }
  const destination = pino.destination(options)
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    destination.flush()
  }
  return {
    write(line) {
      destination.write(line)
      timer ??= setTimeout(flush, FLUSH_MS).unref()
    },
    flushSync: () => destination.flushSync(),
  }
}
