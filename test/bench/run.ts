/**
 * The bench: Tollgate beside nginx and Portkey's gateway, one core each, same mock, same body, alternating rounds.
 *
 *     node test/bench/run.ts [section...] [--quick] [--save] [--without redis,masking]
 *
 * `--save` keeps the results under test/bench/results/<version>/. `--without` leaves parts of Tollgate out, to see what they
 * cost. Exit code 1: something could not run, or a bar of the design was missed (not in a quick run).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isMissed, machineMarkdown, ownVersion, resultsMarkdown } from './rig/report.ts'
import { stayOnLoadCore, useAllCores } from './rig/processes.ts'
import type { SectionResult } from './rig/report.ts'
import { OMISSIONS, startRig } from './rig/rig.ts'
import type { Omission, Rig } from './rig/rig.ts'
import { SECTIONS } from './sections/registry.ts'
import type { Bench, Section } from './sections/section.ts'

/** Nothing here takes as long; a bench that hangs must end by itself. */
const DEADLINE_MS = { quick: 4 * 60_000, full: 30 * 60_000 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
setTimeout(
  () => {
    log('the bench did not end in time')
    process.exit(1)
  },
  values.quick ? DEADLINE_MS.quick : DEADLINE_MS.full,
).unref()
const without = chooseOmissions(values.without)
process.exitCode = await runBench(chooseSections(positionals), values.quick, values.save)
process.exit()

async function runBench(sections: readonly Section[], quick: boolean, save: boolean): Promise<number> {
  let rig: Promise<Rig> | undefined
  const bench: Bench = { quick, log, rig: () => (rig ??= startRig(log, without)) }
  const results: SectionResult[] = []
  try {
    for (const section of sections) {
      log(section.title)
      if (section.needs === 'gateways') stayOnLoadCore()
      else useAllCores()
      results.push({ title: section.title, report: await section.run(bench) })
    }
    const notes = rig === undefined ? [] : (await rig).notes
    const text = resultsMarkdown(results, notes, quick)
    process.stdout.write(`\n${text}`)
    if (save) saveResults(text)
  } finally {
    if (rig !== undefined) await (await rig).close()
  }
  const missed = results.some(({ report }) => report.bars.some(isMissed))
  return missed && !quick ? 1 : 0
}

function chooseSections(names: readonly string[]): readonly Section[] {
  const unknown = names.filter((name) => !SECTIONS.some((section) => section.name === name))
  if (unknown.length > 0) {
    log(`no section ${unknown.join(', ')}; there are: ${SECTIONS.map((section) => section.name).join(', ')}`)
    process.exit(2)
  }
  return names.length === 0 ? SECTIONS : SECTIONS.filter((section) => names.includes(section.name))
}

function chooseOmissions(list: string): readonly Omission[] {
  const names = list.split(',').filter((name) => name !== '')
  const unknown = names.filter((name) => !OMISSIONS.some((omission) => omission === name))
  if (unknown.length > 0) {
    log(`--without takes ${OMISSIONS.join(', ')}; not ${unknown.join(', ')}`)
    process.exit(2)
  }
  return OMISSIONS.filter((omission) => names.includes(omission))
}

function saveResults(text: string): void {
  const folder = join(import.meta.dirname, 'results', ownVersion())
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'results.md'), text)
  writeFileSync(join(folder, 'machine.md'), machineMarkdown())
  log(`kept in ${folder}`)
}

function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
