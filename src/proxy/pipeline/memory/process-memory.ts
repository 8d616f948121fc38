/** What the budgets of memory, for bodies and for answers, share out. */

/**
 * Memory that one byte of a body or answer takes while it is under way: as it came, decoded with the document's strings
 * (two bytes a character as soon as one character is not Latin), and as it is sent on. Measured with bodies of 5 MB: 4, with
 * streams and whole answers of 31 MiB: 2 to 4.
 */
export const COST_PER_BYTE = 4

/** Code, caches and buffers of a process that has served some requests: 105 MiB measured. */
const PROCESS_BYTES = 128 * 1024 * 1024

/** What a container leaves beside the process itself, bytes. @param containerLimit `process.constrainedMemory()`; 0: there is none. */
export function memoryBesideProcess(containerLimit: number): number {
  return Math.max(0, (containerLimit || Infinity) - PROCESS_BYTES)
}
