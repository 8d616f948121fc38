#!/usr/bin/env node
/** The executable: one subcommand a process. Each is loaded only when it is asked for. */
import { readFileSync } from 'node:fs'
import { helpOf, UsageError, withVariables } from './command-line.ts'
import { withoutLogins } from './domain/logins.ts'
import { outliveHangUp } from './signals.ts'
import { endWithOutput } from './standard-output.ts'
import { noteAsked, tellStrayVariables } from './stray-variables.ts'

interface Subcommand {
  readonly summary: string
  /** Loads the subcommand; resolves when it has started (servers) or with its exit code (tools). */
  run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number | undefined>
  help?(): Promise<string>
  /** Its manifests may name any variable. */
  readonly manifests?: true
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  standalone: {
    summary: 'the gateway on one machine, configured by manifests',
    async run(args, environment) {
      outliveHangUp()
      return (await import('./standalone.ts')).runStandalone(args, environment)
    },
    help: async () => helpOf((await import('./standalone.ts')).STANDALONE_FLAGS),
    manifests: true,
  },
  sidecar: {
    summary: "the gateway in an application's pod, configured by the operator",
    run: async (args, environment) => (await import('./sidecar.ts')).runSidecar(args, environment),
    help: async () => helpOf((await import('./sidecar.ts')).SIDECAR_FLAGS),
  },
  operator: {
    summary: 'the control plane: Kubernetes resources to Redis, keys to Secrets',
    run: async (args, environment) => (await import('./operator.ts')).runOperator(args, environment),
    help: async () => helpOf((await import('./operator.ts')).OPERATOR_FLAGS),
  },
  check: {
    summary: 'validate manifests: tollgate check [--strict] PATH...',
    run: async (args, environment) => (await import('./check.ts')).runCheck(args, environment),
    help: async () => (await import('./check.ts')).CHECK_HELP,
    manifests: true,
  },
  cache: {
    summary: 'purge cached answers: tollgate cache purge --redis URL --organization NAME',
    run: async (args, environment) => (await import('./cache.ts')).runCache(args, environment),
    help: async () => helpOf((await import('./cache.ts')).CACHE_FLAGS),
  },
  audit: {
    summary: 'read audit records, sum cost and tokens: tollgate audit --redis URL | --file PATH',
    run: async (args, environment) => (await import('./audit.ts')).runAudit(args, environment),
    help: async () => helpOf((await import('./audit.ts')).AUDIT_FLAGS),
  },
  apply: {
    summary: 'apply Organizations and Providers to a cluster (a hook of the Helm chart)',
    run: async (args, environment) => (await import('./apply.ts')).runApply(args, environment),
    help: async () => helpOf((await import('./apply.ts')).APPLY_FLAGS),
  },
  verify: {
    summary: 'try whether an installation in a cluster works (helm test)',
    run: async (args, environment) => (await import('./verify.ts')).runVerify(args, environment),
    help: async () => helpOf((await import('./verify.ts')).VERIFY_FLAGS),
  },
  cleanup: {
    summary: 'make an installation in a cluster ready to go (before helm uninstall)',
    run: async (args, environment) => (await import('./cleanup.ts')).runCleanup(args, environment),
    help: async () => helpOf((await import('./cleanup.ts')).CLEANUP_FLAGS),
  },
  'demo-provider': {
    summary: 'a local provider (models demo-small, demo-large) that answers from the request, for trying things out',
    run: async (args) => (await import('./demo-provider-entry.ts')).runDemoProvider(args),
    help: async () => helpOf((await import('./demo-provider-entry.ts')).DEMO_PROVIDER_FLAGS),
  },
}
const NAMES = Object.keys(SUBCOMMANDS).join(', ')

/**
 * Node's threads for files and names, read when the first is needed. Of its four, two ask for names, and each waits ten seconds and more for a
 * dead name server: two such providers would hold up all others. One that waits costs next to nothing.
 */
process.env['UV_THREADPOOL_SIZE'] ??= '16'

const [name, ...rest] = process.argv.slice(2)
process.exitCode = await main(name, rest)

async function main(command: string | undefined, args: readonly string[]): Promise<number | undefined> {
  if (command === '--version') return print(version())
  if (command === undefined) return print(usage(), 2)
  if (command === 'help' && args[0] !== undefined) return main(args[0], ['--help'])
  if (command === 'help' || asksForHelp([command])) return print(usage())
  const subcommand = Object.hasOwn(SUBCOMMANDS, command) ? SUBCOMMANDS[command] : undefined
  if (subcommand === undefined) return complain(`there is no subcommand ${command}; there are ${NAMES}`)
  if (asksForHelp(args)) {
    const flags = await subcommand.help?.()
    return print(`tollgate ${command}: ${subcommand.summary}${flags === undefined ? '' : `\n${flags}`}`)
  }
  try {
    return await runWarning(subcommand, args)
  } catch (error) {
    // At once: what has been started before the fault would keep the process.
    if (error instanceof UsageError) process.exit(complain(withVariables(error.message, args, process.env)))
    if (isOfTheMachine(error)) process.exit(complain(error.message, 1))
    throw error
  }
}

/** Says which variables are not known: before the start, which may wait for others, or where manifests name some, after it. */
async function runWarning(subcommand: Subcommand, args: readonly string[]): Promise<number | undefined> {
  const { environment, asked } = noteAsked(process.env)
  const warn = () => {
    const stray = tellStrayVariables(process.env, asked)
    if (stray !== undefined) complain(stray)
  }
  if (subcommand.manifests === true) return subcommand.run(args, environment).finally(warn)
  warn()
  return subcommand.run(args, process.env)
}

function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

/** A port in use, a folder that may not be written, a file that is not there: the operating system's words say it all. */
function isOfTheMachine(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

function usage(): string {
  const lines = Object.entries(SUBCOMMANDS).map(([command, { summary }]) => `  ${command.padEnd(16)}${summary}`)
  return `usage: tollgate <subcommand> [flags]\n\n${lines.join('\n')}\n\n  --help, --version; tollgate <subcommand> --help lists its flags`
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

function print(text: string, code = 0): number {
  endWithOutput(code)
  process.stdout.write(`${text}\n`)
  return code
}

/** One line, whatever the user's words contain. */
function complain(text: string, code = 2): number {
  const line = text.replaceAll(/\s*\n\s*/g, ' ')
  process.stderr.write(`tollgate: ${withoutLogins(line)}\n`)
  return code
}
