/**
 * Shares of the blind texts that reach the threshold: node training/injection/blind.ts [A|B] [threshold] [--list]
 *
 * The texts were written before their author had seen seeds, lexicons or rules. Half A (odd lines) may be read to find out what is
 * missing; half B (even lines) is only counted, so `--list` refuses it. Neither is ever trained on.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TextSpan } from '../../src/domain/completion/text-span.ts'
import {
  createInjectionDetector,
  DEFAULT_INJECTION_THRESHOLD,
  type InjectionVerdict,
} from '../../src/domain/guardrails/injection/detector.ts'
import { WEIGHTS } from './train.ts'

type Half = 'A' | 'B'

interface BlindSet {
  readonly file: string
  readonly attack: boolean
  readonly tool: boolean
}

const SETS: Record<string, BlindSet> = {
  direct: { file: 'direct', attack: true, tool: false },
  obfuscated: { file: 'obfuscated', attack: true, tool: false },
  multilingual: { file: 'multilingual', attack: true, tool: false },
  indirect: { file: 'indirect', attack: true, tool: true },
  'indirect as message': { file: 'indirect', attack: true, tool: false },
  ordinary: { file: 'ordinary', attack: false, tool: false },
  'hard negatives': { file: 'hard', attack: false, tool: false },
  'pasted documents': { file: 'pasted', attack: false, tool: false },
  'documents as message': { file: 'documents', attack: false, tool: false },
  'documents as tool': { file: 'documents', attack: false, tool: true },
}

const half = process.argv.find((argument): argument is Half => argument === 'A' || argument === 'B')
const threshold = Number(process.argv.find((argument) => /^0?\.\d+$/.test(argument)) ?? DEFAULT_INJECTION_THRESHOLD)
const list = process.argv.includes('--list')
if (list && half !== 'A') throw new Error('only half A may be read: blind.ts A --list')

const detector = createInjectionDetector(readFileSync(WEIGHTS))
for (const [name, set] of Object.entries(SETS)) report(name, set)

function report(name: string, set: BlindSet): void {
  const scored = textsOf(set.file).map((text) => ({ text, verdict: detector.score([spanOf(text, set.tool)]) }))
  const reached = scored.filter(({ verdict }) => verdict.score >= threshold)
  const share = ((100 * reached.length) / scored.length).toFixed(1)
  process.stdout.write(`${name.padEnd(22)} ${reached.length} of ${scored.length}  ${share} %\n`)
  if (!list) return
  const wrong = set.attack ? scored.filter((entry) => !reached.includes(entry)) : reached
  for (const { text, verdict } of wrong) process.stdout.write(`   ${line(text, verdict)}\n`)
}

function textsOf(file: string): string[] {
  const path = fileURLToPath(new URL(`blind/${file}.txt`, import.meta.url))
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.filter((_, index) => half === undefined || (index % 2 === 0) === (half === 'A')).map(withLineBreaks)
}

/** `\n` stands for a line break and `\\` for a backslash. */
function withLineBreaks(text: string): string {
  return text.replace(/\\([n\\])/g, (_, character: string) => (character === 'n' ? '\n' : '\\'))
}

function spanOf(text: string, tool: boolean): TextSpan {
  return tool ? { scope: 'tool-output', role: 'tool', text } : { scope: 'message', role: 'user', text }
}

function line(text: string, verdict: InjectionVerdict): string {
  return `${verdict.score.toFixed(2)} [${verdict.rules.join(' ')}] ${text.replaceAll('\n', '⏎').slice(0, 150)}`
}
