/** Rebuilds the shipped weights from the data set, bit for bit: node training/injection/train.ts [--check] */
import { readFileSync, writeFileSync } from 'node:fs'
import { renderWeights } from '../../src/domain/guardrails/injection/classifier/weights.ts'
import type { Sample } from './generate.ts'
import { train } from './model.ts'

const DATASET = new URL('dataset.jsonl', import.meta.url)
export const WEIGHTS = new URL('../../src/domain/guardrails/injection/weights.bin', import.meta.url)

/** The data set as it is kept in the repository. */
export function readDataset(): Sample[] {
  // The file is written by generate.ts.
  return readFileSync(DATASET, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Sample)
}

if (import.meta.main) {
  const bytes = renderWeights(train(readDataset()))
  if (process.argv.includes('--check')) {
    const same = Buffer.from(bytes).equals(readFileSync(WEIGHTS))
    process.stdout.write(
      same ? 'the shipped weights are those of the data set\n' : 'the shipped weights are NOT those of the data set\n',
    )
    process.exitCode = same ? 0 : 1
  } else {
    writeFileSync(WEIGHTS, bytes)
    process.stdout.write(`${bytes.length} bytes of weights written\n`)
  }
}
