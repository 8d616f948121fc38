/** Prints what was measured: reporters of tests leave comments out. */
export function report(text: string): void {
  process.stderr.write(`e2e: ${text}\n`)
}
