import { added, alternate, errorsOf, middle, timesAdded } from './rounds.ts'
import type { ContenderName } from '../rig/contenders.ts'
import type { Measurement } from '../rig/rig.ts'
import type { Bar, Bench, Report, Section } from './section.ts'

const STREAMS = 100

/** What is compared: two clocks, two ranks each. */
const NUMBERS: readonly (readonly [string, (measurement: Measurement) => number])[] = [
  ['first byte p50', ({ firstByteMicros }) => firstByteMicros.p50],
  ['first byte p99', ({ firstByteMicros }) => firstByteMicros.p99],
  ['chunk p50', ({ chunkMicros }) => chunkMicros.p50],
  ['chunk p99', ({ chunkMicros }) => chunkMicros.p99],
]

export const streams: Section = {
  name: 'streams',
  title: `${STREAMS} concurrent streams of 40 chunks, one each 25 ms`,
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const [rounds, durationMs] = bench.quick ? [2, 3_000] : [5, 6_000]
    const measured = await alternate(bench, rig, rounds, {
      connections: STREAMS,
      stream: true,
      warmUpMs: 1_500,
      durationMs,
    })
    const compared = (name: ContenderName, limit: Bar['limit']) =>
      NUMBERS.map(([text, of]): Bar => ({
        text: `${name === 'bare' ? 'bare: ' : ''}added ${text}, times nginx's`,
        value: timesAdded(measured, name, 'nginx', of),
        limit,
        unit: 'x',
      }))
    const bars = [...compared('tollgate', { atMost: 3 }), ...compared('bare', undefined)]
    return {
      bars,
      columns: [
        '',
        ...NUMBERS.map(([text]) => `${text} ms`),
        ...NUMBERS.map(([text]) => `added ${text}`),
        'its processor, µs/stream',
      ],
      rows: rig.contenders.map(({ name }) => [
        name,
        ...NUMBERS.map(([, of]) => milliseconds(middle(measured, name, of))),
        ...NUMBERS.map(([, of]) => (name === 'direct' ? '' : milliseconds(added(measured, name, of)))),
        middle(measured, name, (measurement) => measurement.processorMicrosPerRequest).toFixed(0),
      ]),
      remarks: [
        'A chunk is timed from its writing by the mock to its arrival at the load generator, on the one monotonic clock of the machine.',
        ...errorsOf(measured),
      ],
    }
  },
}

function milliseconds(micros: number): string {
  return (micros / 1_000).toFixed(3)
}
