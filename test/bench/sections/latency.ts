import { added, alternate, errorsOf, middle } from './rounds.ts'
import type { Bench, Report, Section } from './section.ts'

export const latency: Section = {
  name: 'latency',
  title: 'Latency at one connection',
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const [rounds, durationMs] = bench.quick ? [2, 1_500] : [5, 3_000]
    const measured = await alternate(bench, rig, rounds, { connections: 1, stream: false, warmUpMs: 500, durationMs })
    const addedP50 = (name: Parameters<typeof added>[1]) =>
      added(measured, name, ({ latencyMicros }) => latencyMicros.p50)
    const addedP99 = (name: Parameters<typeof added>[1]) =>
      added(measured, name, ({ latencyMicros }) => latencyMicros.p99)
    return {
      bars: [
        {
          text: "added latency p50, share of Portkey's",
          value: addedP50('tollgate') / addedP50('portkey'),
          limit: { atMost: 0.5 },
          unit: 'x',
        },
        {
          text: "added latency p99, share of Portkey's",
          value: addedP99('tollgate') / addedP99('portkey'),
          limit: undefined,
          unit: 'x',
        },
      ],
      columns: ['', 'p50 ms', 'p99 ms', 'added p50 ms', 'added p99 ms'],
      rows: rig.contenders.map(({ name }) => [
        name,
        milliseconds(middle(measured, name, ({ latencyMicros }) => latencyMicros.p50)),
        milliseconds(middle(measured, name, ({ latencyMicros }) => latencyMicros.p99)),
        name === 'direct' ? '' : milliseconds(addedP50(name)),
        name === 'direct' ? '' : milliseconds(addedP99(name)),
      ]),
      remarks: errorsOf(measured),
    }
  },
}

function milliseconds(micros: number): string {
  return (micros / 1_000).toFixed(3)
}
