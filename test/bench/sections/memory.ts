import { setTimeout as sleep } from 'node:timers/promises'
import { startContender } from '../rig/contenders.ts'
import type { Contender } from '../rig/contenders.ts'
import { residentMiB } from '../rig/processes.ts'
import type { Rig } from '../rig/rig.ts'
import type { Bench, Report, Section } from './section.ts'

const STREAMS = 200
const SAMPLE_INTERVAL_MS = 200
/** What a process still allocates after its start is over by then. */
const SETTLE_MS = 1_500

interface Memory {
  readonly idle: number
  readonly streaming: number
  readonly after: number
}

export const memory: Section = {
  name: 'memory',
  title: `Resident memory: idle, at ${STREAMS} concurrent streams, after a burst of requests`,
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const measured: (readonly [string, Memory])[] = []
    for (const { name } of rig.contenders) {
      if (name === 'direct') continue
      bench.log(`  ${name}`)
      const fresh = await startContender(name, rig.surroundings)
      measured.push([name, await measureMemory(rig, fresh, bench.quick)])
      await fresh.process.stop()
    }
    const own = measured.find(([name]) => name === 'tollgate')?.[1]
    return {
      bars: [
        { text: 'RSS idle', value: own?.idle ?? Number.NaN, limit: { atMost: 100 }, unit: 'MiB' },
        {
          text: `RSS at ${STREAMS} streams, highest`,
          value: own?.streaming ?? Number.NaN,
          limit: { atMost: 160 },
          unit: 'MiB',
        },
      ],
      columns: ['', 'idle MiB', `at ${STREAMS} streams, highest MiB`, 'after the burst, highest MiB'],
      rows: measured.map(([name, { idle, streaming, after }]) => [
        name,
        ...[idle, streaming, after].map((value) => value.toFixed(0)),
      ]),
      remarks: ['Each in a process of its own, freshly started; idle after one answered request.'],
    }
  },
}

async function measureMemory(rig: Rig, contender: Contender, quick: boolean): Promise<Memory> {
  const { pid } = contender.process
  await sleep(SETTLE_MS)
  const idle = residentMiB(pid)
  const load = { warmUpMs: 500, durationMs: quick ? 3_000 : 6_000 }
  const streaming = await highest(pid, rig.measure(contender, { ...load, connections: STREAMS, stream: true }))
  const after = await highest(pid, rig.measure(contender, { ...load, connections: 32, stream: false }))
  return { idle, streaming, after }
}

/** The highest RSS seen while `work` runs. */
async function highest(pid: number, work: Promise<unknown>): Promise<number> {
  let top = residentMiB(pid)
  const timer = setInterval(() => {
    top = Math.max(top, residentMiB(pid))
  }, SAMPLE_INTERVAL_MS)
  try {
    await work
  } finally {
    clearInterval(timer)
  }
  return top
}
