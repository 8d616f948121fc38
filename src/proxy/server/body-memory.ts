/** What bodies take in memory, and how much of it there is for them. @see body-shares.ts for how it is given out */
import { COST_PER_BYTE, memoryBesideProcess } from '../pipeline/memory/process-memory.ts'

/** A body up to this size may use the reserve, where it is not judged to take more than its texts. Most chat requests are. */
export const SMALL_BODY_BYTES = 64 * 1024

/** Memory that a body of `bytes` takes, before anything is known of what is in it. */
export function bodyCost(bytes: number): number {
  return bytes * COST_PER_BYTE
}

/**
 * The part of a process's memory that is for bodies. Half of the heap, because one of them is worked on at a time and
 * takes some copies more, and so do answers; of a container's, a third of what the process leaves of it, because memory is
 * given back some time after it is free.
 * @param heapLimit of V8, bytes. @param containerLimit `process.constrainedMemory()`, bytes; 0: there is none.
 */
export function memoryForBodies(heapLimit: number, containerLimit: number): number {
  return Math.min(heapLimit / 2, memoryBesideProcess(containerLimit) / 3)
}
