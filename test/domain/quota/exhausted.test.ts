import t from 'tap'
import { isExhausted } from '../../../src/domain/quota/exhausted.ts'
import type { RefusalMark } from '../../../src/domain/quota/exhausted.ts'

interface Case {
  readonly name: string
  readonly spent: number
  readonly mark?: RefusalMark
  readonly onExceed?: 'Block' | 'Warn'
  readonly exhausted: boolean
}

const CASES: readonly Case[] = [
  { name: 'something is left and nobody was refused', spent: 999, exhausted: false },
  { name: 'all is spent', spent: 1_000, exhausted: true },
  { name: 'more than all is spent', spent: 1_200, exhausted: true },
  { name: 'it only warns', spent: 1_200, onExceed: 'Warn', exhausted: false },
  { name: 'refused with less than half left, and nothing spent since', spent: 600, mark: at(600), exhausted: true },
  { name: 'refused, then something fitted after all', spent: 650, mark: at(600), exhausted: false },
  { name: 'refused with much left: it was a large request', spent: 400, mark: at(400), exhausted: false },
  { name: 'nearly spent, settled since the refusal', spent: 950, mark: at(920), exhausted: true },
  { name: 'amounts have dropped out since', spent: 910, mark: at(950), exhausted: false },
  { name: 'refused under another limit', spent: 950, mark: { limit: 960, spent: 950 }, exhausted: false },
]

for (const { name, spent, mark, onExceed = 'Block', exhausted } of CASES) {
  t.test(`${exhausted ? 'exhausted' : 'not exhausted'}: ${name}`, async (t) => {
    const limit = { unit: 'cost', limit: 1_000, onExceed, warnAtPercent: 80 } as const
    t.equal(isExhausted(limit, spent, mark), exhausted)
  })
}

t.test('a limit of nothing is exhausted from the start', async (t) => {
  t.ok(isExhausted({ unit: 'total', limit: 0, onExceed: 'Block', warnAtPercent: 100 }, 0, undefined))
})

function at(spent: number): RefusalMark {
  return { limit: 1_000, spent }
}
