/**
 * Bench section: masking. Speed on prose, code and logs, and linearity on hostile texts of growing size: time per
 * byte must stay about the same from one size to the next.
 */
import { performance } from 'node:perf_hooks'
import { createDetector } from '../../../src/domain/guardrails/masking/detector.ts'
import { hostileTexts, ordinaryTexts } from '../../fixtures/masking/bench-texts.ts'

const MEGABYTE = 1_000_000
const SPEED_CHARACTERS = 500_000
const ROUNDS = 8
/** Of each hostile text: of fewer, a pause of a busy machine passes for growth. */
const HOSTILE_ROUNDS = 4
const HOSTILE_CHARACTERS: readonly number[] = [25_000, 50_000, 200_000, 400_000]
/** Growth of the time per character from the smallest to the largest size that still counts as linear, timer noise included. */
const LINEAR_FACTOR = 3

export interface MaskingResult {
  /** Million characters (one byte each) a second, best of the rounds, by kind of text. */
  readonly megabytesPerSecond: Readonly<Record<string, number>>
  readonly linearity: readonly LinearityRow[]
  readonly isLinear: boolean
}

export interface LinearityRow {
  readonly text: string
  /** Milliseconds for each size of `HOSTILE_CHARACTERS`. */
  readonly milliseconds: readonly number[]
  readonly growth: number
}

/** Measures, prints two tables and returns what they say. */
export async function run(
  print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<MaskingResult> {
  const detector = createDetector({ kinds: new Set(), custom: [] })
  const megabytesPerSecond: Record<string, number> = {}
  for (const [name, text] of ordinaryTexts(SPEED_CHARACTERS)) {
    megabytesPerSecond[name] = text.length / MEGABYTE / (best(ROUNDS, () => detector.detect(text)) / 1000)
    print(`masking  ${name.padEnd(24)} ${megabytesPerSecond[name].toFixed(1).padStart(8)} MB/s`)
  }
  print(
    `masking  hostile text, ms at ${HOSTILE_CHARACTERS.map((size) => `${size / 1000}k`).join(', ')}; growth of time per character`,
  )
  const linearity = measureGrowth((input) => detector.detect(input))
  for (const { text, milliseconds, growth } of linearity) {
    print(
      `masking  ${text.padEnd(24)} ${milliseconds.map((value) => value.toFixed(1).padStart(8)).join(' ')}   x${growth.toFixed(2)}`,
    )
  }
  return { megabytesPerSecond, linearity, isLinear: linearity.every(({ growth }) => growth < LINEAR_FACTOR) }
}

/** Each text at all sizes; those of one size are made once and let go before the next. */
function measureGrowth(detect: (input: string) => unknown): LinearityRow[] {
  const measured = new Map<string, number[]>()
  for (const size of HOSTILE_CHARACTERS) {
    for (const [text, input] of hostileTexts(size)) {
      measured.set(text, [...(measured.get(text) ?? []), best(HOSTILE_ROUNDS, () => detect(input))])
    }
  }
  return [...measured].map(([text, milliseconds]) => ({ text, milliseconds, growth: growthOf(milliseconds) }))
}

/** Of the time per character, from the second size to the largest: at the first, the code is still being compiled. */
function growthOf(milliseconds: readonly number[]): number {
  const perCharacter = milliseconds.map((value, index) => value / (HOSTILE_CHARACTERS[index] ?? 1))
  return (perCharacter.at(-1) ?? 0) / (perCharacter[1] ?? 1)
}

function best(rounds: number, work: () => unknown): number {
  let least = Infinity
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    work()
    least = Math.min(least, performance.now() - start)
  }
  return least
}

if (import.meta.main) {
  const result = await run((line) => void process.stderr.write(`${line}\n`))
  if (process.argv.includes('--json')) process.stdout.write(JSON.stringify(result))
}
