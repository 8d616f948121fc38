import { added, alternate, errorsOf, middle, timesAdded } from './rounds.ts'
import type { Measurement } from '../rig/rig.ts'
import type { Bench, Report, Section } from './section.ts'

const p50 = ({ latencyMicros }: Measurement) => latencyMicros.p50
const p99 = ({ latencyMicros }: Measurement) => latencyMicros.p99

export const latency: Section = {
  name: 'latency',
  title: 'Latency at one connection',
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const [rounds, durationMs] = bench.quick ? [2, 1_500] : [9, 3_000]
    const measured = await alternate(bench, rig, rounds, { connections: 1, stream: false, warmUpMs: 500, durationMs })
    return {
      bars: [
        {
          text: "added latency p50, share of Portkey's",
          value: timesAdded(measured, 'tollgate', 'portkey', p50),
          limit: { atMost: 0.5 },
          unit: 'x',
        },
        {
          text: "bare: added latency p50, share of Portkey's",
          value: timesAdded(measured, 'bare', 'portkey', p50),
          limit: undefined,
          unit: 'x',
        },
        {
          text: "added latency p99, share of Portkey's",
          value: timesAdded(measured, 'tollgate', 'portkey', p99),
          limit: undefined,
          unit: 'x',
        },
      ],
      columns: ['', 'p50 ms', 'p99 ms', 'added p50 ms', 'added p99 ms'],
      rows: rig.contenders.map(({ name }) => [
        name,
        milliseconds(middle(measured, name, p50)),
        milliseconds(middle(measured, name, p99)),
        name === 'direct' ? '' : milliseconds(added(measured, name, p50)),
        name === 'direct' ? '' : milliseconds(added(measured, name, p99)),
      ]),
      remarks: errorsOf(measured),
    }
  },
}

function milliseconds(micros: number): string {
  return (micros / 1_000).toFixed(3)
}
