/** kubectl and helm as a person uses them, and waiting for what Kubernetes does in its own time. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Standard output. @throws {Error} with the command and what it complained of. */
export async function kubectl(args: readonly string[], input?: string): Promise<string> {
  return succeed('kubectl', args, input)
}

/** `words` as on a command line, without quotes. @throws {Error} with the command and what it complained of. */
export async function helm(...words: readonly string[]): Promise<string> {
  return succeed('helm', words.join(' ').split(' '))
}

/** Applies manifests: YAML text, or objects. @throws {Error} where the API server refuses one. */
export async function apply(manifests: string | readonly object[]): Promise<void> {
  await kubectl(['apply', '-f', '-'], typeof manifests === 'string' ? manifests : manifestText(manifests))
}

/** As kubectl reads them. */
export function manifestText(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n')
}

/** The object as the API server has it; undefined: there is none. */
export async function get(kind: string, name: string, namespace = 'default'): Promise<Fields | undefined> {
  const text = await kubectl(['-n', namespace, 'get', kind, name, '-o', 'json', '--ignore-not-found'])
  return text === '' ? undefined : fieldsOf(JSON.parse(text))
}

export async function list(kind: string, namespace: string, selector = ''): Promise<readonly Fields[]> {
  const args = ['-n', namespace, 'get', kind, '-o', 'json', ...(selector === '' ? [] : ['-l', selector])]
  return fieldsOf(JSON.parse(await kubectl(args))).list('items')
}

/** Runs a program to its end. */
export function run(program: string, args: readonly string[], input = ''): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (piece) => (stdout += piece))
    child.stderr.on('data', (piece) => (stderr += piece))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

const POLL_MS = 300

/**
 * What `look` returns, as soon as it neither throws nor returns false or undefined: for things that Kubernetes does
 * in its own time, and for nothing else. @throws {Error} after `seconds`, with the last reason.
 */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, seconds = 60): Promise<T> {
  const deadline = Date.now() + seconds * 1_000
  for (let last = 'nothing there'; ; await sleep(POLL_MS)) {
    try {
      const value = await look()
      if (value !== undefined && value !== false) return value
    } catch (error) {
      last = error instanceof Error ? error.message : String(error)
    }
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}; last: ${last}`)
  }
}

/** Waits until a Deployment has what its spec says. */
export async function rolledOut(namespace: string, deployment: string, seconds = 90): Promise<void> {
  await kubectl(['-n', namespace, 'rollout', 'status', deployment, `--timeout=${seconds}s`])
}

/** A JSON object whose fields are asked for by path: `at('status', 'phase')`. */
export interface Fields {
  at(...path: readonly (string | number)[]): unknown
  text(...path: readonly (string | number)[]): string
  list(...path: readonly (string | number)[]): readonly Fields[]
}

export function fieldsOf(document: unknown): Fields {
  const at = (...path: readonly (string | number)[]) => path.reduce<unknown>(step, document)
  return {
    at,
    text: (...path) => String(at(...path) ?? ''),
    list: (...path) => {
      const value = at(...path)
      return Array.isArray(value) ? value.map(fieldsOf) : []
    },
  }
}

function step(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === String(name))?.[1]
}

async function succeed(program: string, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, input)
  if (code === 0) return stdout
  throw new Error(`${program} ${args.join(' ')}: ${stderr.trim() || stdout.trim()}`)
}
