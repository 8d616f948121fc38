/**
 * SIGTERM and SIGINT: the first asks for an orderly end, a later one ends at once. SIGHUP asks for an orderly end, too, or where a process
 * without a terminal has something to read again, for that.
 */
import { isatty } from 'node:tty'

/** Standard input, output and error. `nohup`, systemd and containers leave none of them on a terminal. */
const STANDARD_DESCRIPTORS = [0, 1, 2]

const TERMINAL_CHECK_MS = 1_000

/** One request comes twice where `make`, `npm` or `timeout` pass on what their whole process group was sent; no hand is as quick. */
const SAME_REQUEST_MS = 250

/**
 * Runs `stop` at the first signal and exits 0 after it; a second SIGTERM or SIGINT, but for one that comes with the first, or an error
 * in `stop`, exits 1 at once.
 * @param stop resolves when everything has been finished and written
 * @param endsByHangUp whether SIGHUP is such a first signal; else it is another's
 */
export function endOnSignals(stop: () => Promise<void>, endsByHangUp = true): void {
  let askedAtMs: number | undefined
  const end = () => {
    askedAtMs = performance.now()
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  const onSignal = () => {
    if (askedAtMs === undefined) end()
    else if (performance.now() - askedAtMs >= SAME_REQUEST_MS) process.exit(1)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  // Of a terminal that closes it comes twice, from the kernel and from the shell: the second hurries nothing.
  const onHangUp = () => (askedAtMs === undefined ? end() : undefined)
  if (endsByHangUp) process.on('SIGHUP', onHangUp)
  watchTerminal(onHangUp)
}

/**
 * The kernel tells a terminal's first process only that it has closed, and `make` passes nothing on. Where that process has
 * gone, whoever is left was meant to be (`disown`).
 */
function watchTerminal(onClosed: () => void): void {
  if (!hasTerminal()) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (hasTerminal()) return
    clearInterval(timer)
    if (process.ppid === parent) onClosed()
  }, TERMINAL_CHECK_MS)
  timer.unref()
}

/**
 * Has SIGHUP call `reload`, but where the process has a terminal: that sends SIGHUP when it closes, and nobody would be left to end the
 * process. Returns whether it does.
 */
export function reloadOnHangUp(reload: () => void): boolean {
  // Asked now: of a terminal that is closed the system says that it is none.
  if (hasTerminal()) return false
  process.on('SIGHUP', reload)
  return true
}

/** For such a process from its beginning on: who starts it may ask for a reload before there is anything to read again. */
export function outliveHangUp(): void {
  if (!hasTerminal()) process.on('SIGHUP', () => undefined)
}

function hasTerminal(): boolean {
  return STANDARD_DESCRIPTORS.some((descriptor) => isatty(descriptor))
}
