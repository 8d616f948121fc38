/** SIGTERM and SIGINT: the first asks for an orderly end, the second ends at once. */

/**
 * Runs `stop` at the first signal and exits 0 after it; a second signal, or an error in `stop`, exits 1 at once.
 * @param stop resolves when everything has been finished and written
 */
export function endOnSignals(stop: () => Promise<void>): void {
  let asked = false
  const onSignal = () => {
    if (asked) process.exit(1)
    asked = true
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
