import { alternate, errorsOf, middle } from './rounds.ts'
import type { Bench, Report, Section } from './section.ts'

const CONNECTIONS = 32

export const throughput: Section = {
  name: 'throughput',
  title: `Throughput, 1.2 KB chat request, ${CONNECTIONS} connections`,
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const [rounds, durationMs] = bench.quick ? [2, 2_000] : [5, 5_000]
    const measured = await alternate(bench, rig, rounds, {
      connections: CONNECTIONS,
      stream: false,
      warmUpMs: 1_000,
      durationMs,
    })
    const perSecond = (name: Parameters<typeof middle>[1]) =>
      middle(measured, name, (measurement) => measurement.perSecond)
    return {
      bars: [
        {
          text: "throughput, times Portkey's",
          value: perSecond('tollgate') / perSecond('portkey'),
          limit: { atLeast: 3 },
          unit: 'x',
        },
        {
          text: 'throughput, share of nginx',
          value: perSecond('tollgate') / perSecond('nginx'),
          limit: undefined,
          unit: 'x',
        },
      ],
      columns: ['', 'requests/s', 'p50 ms', 'p99 ms', 'its processor, µs/request'],
      rows: rig.contenders.map(({ name }) => [
        name,
        perSecond(name).toFixed(0),
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
