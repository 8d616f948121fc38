/**
 * What a hit takes beside a miss, at one connection, and whether memory stays where it is once the first level is full.
 *
 * The same questions are asked in blocks: of one gateway for the first time (miss), of the same again (hit-l1), of
 * another one that shares its Redis (hit-l2). The mock answers at once, so the ratio is the least that a hit can save: a
 * provider takes hundreds of milliseconds more.
 */
import { Agent, request } from 'node:http'
import { startContender, type Contender } from '../rig/contenders.ts'
import { residentMiB } from '../rig/processes.ts'
import type { Rig } from '../rig/rig.ts'
import { median, percentile } from '../rig/statistics.ts'
import type { Bench, Report, Section } from './section.ts'

const ROUNDS = { quick: 2, full: 5 }
const QUESTIONS = { quick: 100, full: 400 }
/** 16 MiB hold some 8,000 answers of the mock. */
const FULL_AFTER = 12_000
const CHURN = { quick: 15_000, full: 62_000 }
const PROSE = 'Our team met on Tuesday to look at the numbers of the last quarter, and most of the plans went well. '
const WAYS = ['direct', 'miss', 'hit-l1', 'hit-l2'] as const

type Way = (typeof WAYS)[number]

export const cache: Section = {
  name: 'cache',
  title: 'Cache: hits beside misses at one connection, and memory with the first level full',
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const [one, two] = [
      await startContender('tollgate', rig.surroundings),
      await startContender('tollgate', rig.surroundings),
    ]
    try {
      const measured = await measureWays(bench, rig, one, two)
      const memory = await churn(bench, rig, one)
      const p50 = (way: Way) => median(measured.times[way].map((times) => percentile(times, 0.5)))
      const p99 = (way: Way) => median(measured.times[way].map((times) => percentile(times, 0.99)))
      return {
        bars: [
          {
            text: 'cache, hit-l1 latency p50, share of a miss',
            value: p50('hit-l1') / p50('miss'),
            limit: undefined,
            unit: 'x',
          },
          {
            text: 'cache, hit-l2 latency p50, share of a miss',
            value: p50('hit-l2') / p50('miss'),
            limit: undefined,
            unit: 'x',
          },
          {
            text: 'cache, RSS after much more than fits, times RSS when full',
            value: memory.after / memory.full,
            limit: { atMost: 1.15 },
            unit: 'x',
          },
        ],
        columns: ['', 'p50 ms', 'p99 ms'],
        rows: WAYS.map((way) => [way, p50(way).toFixed(3), p99(way).toFixed(3)]),
        remarks: [
          `RSS: ${memory.full.toFixed(0)} MiB after ${FULL_AFTER} answers (the first level is full), highest from there to ${memory.requests}: ${memory.after.toFixed(0)} MiB.`,
          ...(measured.unexpected === 0 ? [] : [`**${measured.unexpected} answers did not come the expected way**`]),
        ],
      }
    } finally {
      await Promise.all([one.process.stop(), two.process.stop()])
    }
  },
}

interface Measured {
  /** Milliseconds, one list a round. */
  readonly times: Record<Way, number[][]>
  /** Answers whose `x-gateway-cache` was another. */
  readonly unexpected: number
}

async function measureWays(bench: Bench, rig: Rig, one: Contender, two: Contender): Promise<Measured> {
  const [rounds, count] = bench.quick ? [ROUNDS.quick, QUESTIONS.quick] : [ROUNDS.full, QUESTIONS.full]
  const [direct] = rig.contenders
  if (direct === undefined) throw new Error('the mock is not there')
  const times: Record<Way, number[][]> = { direct: [], miss: [], 'hit-l1': [], 'hit-l2': [] }
  const asked: readonly (readonly [Way, Contender])[] = [
    ['direct', direct],
    ['miss', one],
    ['hit-l1', one],
    ['hit-l2', two],
  ]
  let unexpected = 0
  // Round 0 warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [way, contender] of asked) {
      const block = await askAll(contender, `round ${round}`, count)
      if (round === 0) continue
      times[way].push(block.times)
      if (way !== 'direct') unexpected += block.ways.filter((seen) => seen !== way).length
      bench.log(`  round ${round}/${rounds} ${way}: p50 ${percentile(block.times, 0.5).toFixed(3)} ms`)
    }
  }
  return { times, unexpected }
}

/** One question after the other on one connection. */
async function askAll(contender: Contender, label: string, count: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const ways: (string | undefined)[] = []
  for (let each = 0; each < count; each++) {
    const started = performance.now()
    ways.push(await ask(contender, agent, `${label}, question ${each}`))
    times.push(performance.now() - started)
  }
  agent.destroy()
  return { times, ways }
}

function ask({ port, path, headers }: Contender, agent: Agent, question: string): Promise<string | undefined> {
  const content = `${PROSE.repeat(10)} ${question}`
  const body = JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content }], max_tokens: 256 })
  return new Promise((resolve, reject) => {
    const options = { port, path, agent, method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const call = request({ host: '127.0.0.1', ...options }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
      response.on('error', reject)
      response.on('end', () => resolve(response.headers['x-gateway-cache']?.toString()))
      response.resume()
    })
    call.on('error', reject)
    call.end(body)
  })
}

/** Fills the first level, then goes on for several times as long. */
async function churn(bench: Bench, rig: Rig, contender: Contender) {
  const total = bench.quick ? CHURN.quick : CHURN.full
  let [requests, full, after] = [0, 0, 0]
  while (requests < total) {
    const load = { connections: 16, stream: false, warmUpMs: 0, durationMs: 2_000 }
    requests += (await rig.measure(contender, load)).requests
    const resident = residentMiB(contender.process.pid)
    if (requests >= FULL_AFTER && full === 0) full = resident
    else if (full > 0) after = Math.max(after, resident)
    bench.log(`  ${requests} answers: ${resident.toFixed(0)} MiB`)
  }
  return { requests, full, after: Math.max(after, full) }
}
