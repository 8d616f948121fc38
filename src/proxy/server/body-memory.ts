/** What bodies take in memory, and how much of it there is for them. @see body-budget.ts for how it is given out */

/** A body up to this size may use the reserve, where it is not judged to take more than its texts. Most chat requests are. */
export const SMALL_BODY_BYTES = 64 * 1024

/**
 * Memory that one byte of a body takes while its request is under way: as it came, decoded with the document's strings
 * (two bytes a character as soon as one character is not Latin), and as it was sent on. Measured with bodies of 5 MB.
 */
export const COST_PER_BYTE = 4

/** Code, caches and buffers of a process that has served some requests: 105 MiB measured. */
const PROCESS_BYTES = 128 * 1024 * 1024

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
  return Math.max(0, Math.min(heapLimit / 2, ((containerLimit || Infinity) - PROCESS_BYTES) / 3))
}
