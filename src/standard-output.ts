/** What becomes of a command that prints, where its output cannot be written. */

/**
 * A reader that has enough (`| head`) ends the process with `readerGone`, without a word; whatever else keeps its output from
 * being written (a full disk) is told, with exit code 1: half of an output must not pass for all of it.
 */
export function endWithOutput(readerGone: number): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(readerGone)
    process.stderr.write(`tollgate: standard output: ${error.message}\n`)
    process.exit(1)
  })
}

/** For a command that is there for what it does: it goes on where nobody can read what it says. */
export function outliveOutput(): void {
  process.stdout.on('error', () => {})
}
