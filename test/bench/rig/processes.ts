/** Child processes of the bench: pinned to a core, watched, and killed when the bench ends, however it ends. */
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import type { Readable, Writable } from 'node:stream'

/** The gateway under test is alone on the first core; load, mock and Redis share the second. */
export type Core = 'gateway' | 'load'

export interface Running {
  readonly pid: number
  /** Resolves with the first line of stdout for which `accept` returns something. */
  line<Found>(accept: (line: string) => Found | undefined, timeoutMs: number): Promise<Found>
  /** Everything from stdout until the process ends. @throws where its exit code is not 0 or the time is up. */
  output(timeoutMs: number): Promise<string>
  /** The last of what it wrote to stderr. */
  complaint(): string
  exited(): boolean
  stop(): Promise<void>
}

const CORES: Readonly<Record<Core, string>> = { gateway: '0', load: '1' }
const COMPLAINT_CHARACTERS = 2_000
const running = new Set<ChildProcessByStdio<Writable, Readable, Readable>>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Whether processes can be kept on cores of their own here. */
export const canPin: boolean = availableParallelism() >= 2 && findCommand('taskset') !== undefined

const ALL_CORES = `0-${availableParallelism() - 1}`

/** Keeps the bench itself off the gateways' core: it reads what they write on stdout. What it starts stays there, too. */
export function stayOnLoadCore(): void {
  pinItself(CORES.load)
}

/** For what needs no gateways. */
export function useAllCores(): void {
  pinItself(ALL_CORES)
}

function pinItself(cores: string): void {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)])
}

/** The path of a program, or undefined where it is not installed. */
export function findCommand(name: string): string | undefined {
  const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
  return found.status === 0 ? found.stdout.trim() : undefined
}

export function start(
  core: Core,
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Running {
  const [program, ...rest] = canPin ? ['taskset', '-c', CORES[core], command, ...args] : [command, ...args]
  const child = spawn(program ?? command, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let complaint = ''
  running.add(child)
  child.stdin.on('error', () => {})
  child.on('error', (error) => {
    complaint += error.message
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running.delete(child)
      resolve(code)
    })
  })
  child.stderr.on('data', (data: Buffer) => {
    complaint = (complaint + data.toString('utf8')).slice(-COMPLAINT_CHARACTERS)
  })
  const isOver = () => child.exitCode !== null || child.signalCode !== null

  return {
    pid: child.pid ?? -1,
    line: (accept, timeoutMs) =>
      limited(firstLine(child.stdout, accept, ended), timeoutMs, () => `${command} did not get ready: ${complaint}`),
    output: (timeoutMs) =>
      limited(
        wholeOutput(child.stdout, ended, () => complaint),
        timeoutMs,
        () => `${command} did not end in time`,
      ),
    complaint: () => complaint,
    exited: isOver,
    stop: async () => {
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 2_000)
      if (!isOver()) await ended
      clearTimeout(killer)
    },
  }
}

/** A port that was free a moment ago, for programs that cannot take any. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** The port that a process of the bench prints when it listens: `{"port":N}`. */
export function portIn(line: string): number | undefined {
  const entry: unknown = JSON.parse(line)
  return typeof entry === 'object' && entry !== null && 'port' in entry && typeof entry.port === 'number'
    ? entry.port
    : undefined
}

/** Resident memory, MiB. */
export function residentMiB(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? Number.NaN) / 1_024
}

/** Processor time that the process has used so far, milliseconds (the kernel counts in ticks of 10). */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function firstLine<Found>(
  stdout: Readable,
  accept: (line: string) => Found | undefined,
  ended: Promise<unknown>,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    let text = ''
    function read(data: Buffer) {
      const lines = (text + data.toString('utf8')).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const found = accept(line)
        if (found === undefined) continue
        stdout.off('data', read)
        // What comes later (audit records) is thrown away, not left to fill the pipe.
        stdout.resume()
        return resolve(found)
      }
    }
    stdout.on('data', read)
    void ended.then(() => reject(new Error('it ended before it was ready')))
  })
}

async function wholeOutput(stdout: Readable, ended: Promise<number | null>, complaint: () => string): Promise<string> {
  const chunks: Buffer[] = []
  stdout.on('data', (data: Buffer) => chunks.push(data))
  const code = await ended
  if (code !== 0) throw new Error(`it ended with ${code}: ${complaint()}`)
  return Buffer.concat(chunks).toString('utf8')
}

async function limited<Result>(work: Promise<Result>, timeoutMs: number, problem: () => string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(problem())), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    throw new Error(problem(), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
