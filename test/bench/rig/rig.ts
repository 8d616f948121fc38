/** The bench's set-up: mock, Redis and the contenders side by side, and the load that is put on them one at a time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GATEWAYS, missing, startContender } from './contenders.ts'
import type { Contender, ContenderName, Surroundings } from './contenders.ts'
import type { LoadOptions, LoadResult } from './load-generator.ts'
import { findCommand, freePort, portIn, processorMs, start } from './processes.ts'
import type { Running } from './processes.ts'

export interface Rig {
  /** `direct` first, then the gateways that can run here. */
  readonly contenders: readonly Contender[]
  readonly surroundings: Surroundings
  /** Why others are not there. */
  readonly notes: readonly string[]
  measure(contender: Contender, load: Load): Promise<Measurement>
  close(): Promise<void>
}

/** What Tollgate can be measured without, to see what it costs. */
export const OMISSIONS = ['redis', 'masking'] as const
export type Omission = (typeof OMISSIONS)[number]

export type Load = Pick<LoadOptions, 'connections' | 'stream' | 'warmUpMs' | 'durationMs'>

export interface Measurement extends LoadResult {
  /** Processor time of the contender per request, warm-up included in both; NaN where too little was counted. */
  readonly processorMicrosPerRequest: number
  readonly perSecond: number
}

const LOAD_GENERATOR = join(import.meta.dirname, 'load-generator.ts')
const MOCK = join(import.meta.dirname, 'mock-upstream.ts')
/** What a load process may take beyond its own time. */
const LOAD_GRACE_MS = 10_000

/** @throws where the mock does not start; a contender that does not is left out and noted. */
export async function startRig(log: (line: string) => void, without: readonly Omission[]): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const mock = start('load', process.execPath, [MOCK])
  const mockPort = await mock.line(portIn, 5_000)
  const redis = without.includes('redis') ? undefined : await startRedis(directory)
  const surroundings = { directory, mockPort, redisUrl: redis?.url, masking: !without.includes('masking') }
  const contenders: Contender[] = [directTo(mock, mockPort)]
  const notes = without.map((part) => `**tollgate runs without ${part}**, as asked`)
  if (redis === undefined && !without.includes('redis'))
    notes.push('redis-server is not installed: tollgate keeps its store in memory')
  for (const name of GATEWAYS) {
    const reason = missing(name)
    const started =
      reason === undefined ? await startContender(name, surroundings).catch(String) : `not measured: ${reason}`
    if (typeof started === 'string') notes.push(`${name}: ${started}`)
    else contenders.push(started)
  }
  for (const note of notes) log(note)
  return {
    contenders,
    surroundings,
    notes,
    measure,
    close: async () => {
      await Promise.all([...contenders.map((contender) => contender.process.stop()), redis?.process.stop()])
    },
  }
}

async function measure(contender: Contender, load: Load): Promise<Measurement> {
  const { port, path, headers } = contender
  const options: LoadOptions = { host: '127.0.0.1', port, path, headers, ...load }
  const before = processorMs(contender.process.pid)
  const generator = start('load', process.execPath, [LOAD_GENERATOR, JSON.stringify(options)])
  const output = await generator.output(load.warmUpMs + load.durationMs + LOAD_GRACE_MS)
  const result: LoadResult = JSON.parse(output)
  if (result.requests === 0 && !load.stream)
    throw new Error(`${contender.name} answered nothing: ${result.firstError ?? 'no error'}`)
  const used = processorMs(contender.process.pid) - before
  const share = load.durationMs / (load.warmUpMs + load.durationMs)
  return {
    ...result,
    perSecond: result.requests / result.seconds,
    processorMicrosPerRequest: (used * share * 1_000) / result.requests,
  }
}

/** The mock, measured without anything between. */
function directTo(mock: Running, port: number): Contender {
  const name: ContenderName = 'direct'
  return {
    name,
    port,
    path: '/v1/chat/completions',
    headers: { Authorization: 'Bearer bench' },
    process: mock,
    startMs: Number.NaN,
  }
}

async function startRedis(directory: string): Promise<{ url: string; process: Running } | undefined> {
  const command = findCommand('redis-server')
  if (command === undefined) return undefined
  const port = await freePort()
  // Bounded: the exact cache stores every answer of the run.
  const memory = ['--maxmemory', '256mb', '--maxmemory-policy', 'allkeys-lru']
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
    ...memory,
  ]
  const server = start('load', command, args)
  await server.line((line) => (line.includes('Ready to accept connections') ? true : undefined), 5_000)
  return { url: `redis://127.0.0.1:${port}`, process: server }
}
