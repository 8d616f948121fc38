import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MaskingResult } from './masking.ts'
import type { Bar, Bench, Report, Section } from './section.ts'

/** masking.ts, in a process of its own (what ran before must not count), as a section of the bench. */
export const maskingSpeed: Section = {
  name: 'masking',
  title: 'Masking: speed on ordinary text, growth on hostile text',
  needs: 'nothing',

  async run(bench: Bench): Promise<Report> {
    const { megabytesPerSecond, linearity } = await measureMasking(bench)
    const slowestGrowth = Math.max(...linearity.map(({ growth }) => growth))
    const bars: Bar[] = [
      {
        text: 'masking, prose',
        value: megabytesPerSecond['prose'] ?? Number.NaN,
        limit: { atLeast: 20 },
        unit: 'MB/s',
      },
      {
        text: 'masking, worst growth of time per character, hostile text 8 times as long',
        value: slowestGrowth,
        limit: { atMost: 3 },
        unit: 'x',
      },
    ]
    return {
      bars,
      columns: ['text', 'measured'],
      rows: [
        ...Object.entries(megabytesPerSecond).map(([text, speed]) => [text, `${speed.toFixed(1)} MB/s`]),
        ...linearity.map(({ text, growth }) => [text, `x${growth.toFixed(2)} per character`]),
      ],
      remarks: [
        'Growth is that of the time per character between hostile texts of 50,000 and 400,000 characters; linear is 1.',
      ],
    }
  },
}

async function measureMasking(bench: Bench): Promise<MaskingResult> {
  const script = join(import.meta.dirname, 'masking.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, '--json'], { timeout: 180_000 })
  for (const line of stderr.trimEnd().split('\n')) bench.log(`  ${line}`)
  return JSON.parse(stdout) as MaskingResult
}
