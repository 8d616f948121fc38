import { startContender } from '../rig/contenders.ts'
import { median } from '../rig/statistics.ts'
import type { Bench, Report, Section } from './section.ts'

export const startUp: Section = {
  name: 'start-up',
  title: 'From spawning the process to its first good answer',
  needs: 'gateways',

  async run(bench: Bench): Promise<Report> {
    const rig = await bench.rig()
    const times = new Map<string, number[]>()
    for (let round = 0; round < (bench.quick ? 2 : 5); round += 1) {
      for (const { name } of rig.contenders) {
        if (name === 'direct') continue
        const fresh = await startContender(name, rig.surroundings)
        await fresh.process.stop()
        times.set(name, [...(times.get(name) ?? []), fresh.startMs])
      }
    }
    const seconds = (name: string) => median(times.get(name) ?? []) / 1_000
    return {
      bars: [{ text: 'cold start to the first answer', value: seconds('tollgate'), limit: { atMost: 1 }, unit: 's' }],
      columns: ['', 'seconds'],
      rows: [...times.keys()].map((name) => [name, seconds(name).toFixed(2)]),
      remarks: [],
    }
  },
}
