import { alternate, errorsOf, middle, times } from './rounds.ts'
import type { Measurement } from '../rig/rig.ts'
import type { Bench, Report, Section } from './section.ts'

const CONNECTIONS = 32

const rate = ({ perSecond }: Measurement) => perSecond

export const throughput: Section = {
  name: 'throughput',
  title: `Throughput, 1.2 KB chat request, ${CONNECTIONS} connections`,
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const [rounds, durationMs] = bench.quick ? [2, 2_000] : [9, 4_000]
    const measured = await alternate(bench, rig, rounds, {
      connections: CONNECTIONS,
      stream: false,
      warmUpMs: 1_000,
      durationMs,
    })
    return {
      bars: [
        {
          text: "throughput, times Portkey's",
          value: times(measured, 'tollgate', 'portkey', rate),
          limit: { atLeast: 3 },
          unit: 'x',
        },
        {
          text: 'throughput, share of nginx',
          value: times(measured, 'tollgate', 'nginx', rate),
          limit: undefined,
          unit: 'x',
        },
      ],
      columns: ['', 'requests/s', 'p50 ms', 'p99 ms', 'its processor, µs/request'],
      rows: rig.contenders.map(({ name }) => [
        name,
        middle(measured, name, rate).toFixed(0),
        (middle(measured, name, (measurement) => measurement.latencyMicros.p50) / 1_000).toFixed(2),
        (middle(measured, name, (measurement) => measurement.latencyMicros.p99) / 1_000).toFixed(2),
        middle(measured, name, (measurement) => measurement.processorMicrosPerRequest).toFixed(0),
      ]),
      remarks: [
        'What comes near to `direct` is held back by mock and load generator, which share a core; its processor time per request is then the better number.',
        ...errorsOf(measured),
      ],
    }
  },
}
