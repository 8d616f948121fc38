/** The executable's own words: help, and one line for what it cannot take. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
/** No test here asks a cluster. */
const NO_KUBECONFIG = '/nowhere/kubeconfig'
const SERVERS = ['standalone', 'sidecar', 'operator', 'demo-provider']
const TOOLS = ['check', 'cache', 'audit', 'apply', 'verify', 'cleanup']
const SUBCOMMANDS = [...SERVERS, ...TOOLS]

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function tollgate(...args: string[]): Promise<Outcome> {
  return tollgateWith({}, ...args)
}

function tollgateWith(environment: Record<string, string>, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, KUBECONFIG: NO_KUBECONFIG, ...environment }
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

t.test('help lists the subcommands, however it is asked for', async (t) => {
  const { code, stdout } = await tollgate('help')
  t.equal(code, 0)
  for (const name of SUBCOMMANDS) t.match(stdout, new RegExp(`^  ${name} +\\S`, 'm'))
  for (const flag of ['--help', '-h']) t.match(await tollgate(flag), { code: 0, stdout, stderr: '' })
})

t.test('help of a subcommand is what it is for and its flags, without an empty line', async (t) => {
  for (const name of SUBCOMMANDS) {
    const { code, stdout } = await tollgate('help', name)
    t.equal(code, 0, name)
    t.match(stdout, new RegExp(`^tollgate ${name}: \\S`))
    t.notMatch(stdout, /^$\n/m, name)
    t.match(stdout, /\n {2}--/, name)
  }
  t.strictSame(await tollgate('check', '-h'), await tollgate('help', 'check'))
})

t.test('a wrong value of a variable is told with the name of the variable', async (t) => {
  const { code, stderr } = await tollgateWith({ TOLLGATE_FORMAT: 'xml' }, 'audit', '--file', '-')
  t.equal(code, 2)
  t.equal(stderr, 'tollgate: --format (TOLLGATE_FORMAT) must be one of table, csv, json, not xml\n')
})

t.test('a wrong command line is one line on stderr, and exit code 2', async (t) => {
  const wrong: [string[], RegExp][] = [
    [['nonsense'], /there is no subcommand nonsense; there are standalone, sidecar, .*demo-provider$/],
    [['help', 'toString'], /there is no subcommand toString; there are/],
    [
      ['operator', '--redis', 'redis://127.0.0.1:1'],
      /there is no kubeconfig at \/nowhere\/kubeconfig; KUBECONFIG names/,
    ],
    [['audit', '--nonsense'], /'--nonsense'; --help lists the flags$/],
    [['standalone', '--state', '--demo'], /'--state' argument is ambiguous.*'--state=-XYZ'; --help lists the flags$/],
    [['standalone', '--config', 'x', '--log-level', 'a\nb'], /--log-level must be one of .*, not a b$/],
  ]
  for (const [args, message] of wrong) {
    const { code, stdout, stderr } = await tollgate(...args)
    t.strictSame([code, stdout], [2, ''], args.join(' '))
    t.match(stderr, /^tollgate: .*\n$/, args.join(' '))
    t.match(stderr.trimEnd(), message)
  }
})

t.test('an address at the wrong place of a command line is told without its login', async (t) => {
  const address = 'redis://user:h un@ter/2@127.0.0.1:1'
  for (const args of [
    [address],
    ['standalone', '--config', '/nowhere', address],
    ['audit', '--redis', 'redis://127.0.0.1:1', '--since', address],
  ])
    t.match(await tollgate(...args), { code: 2, stderr: /^tollgate: .*redis:\/\/\.\.\.@127\.0\.0\.1:1/ })
  const ofFile = await tollgate('audit', '--file', address)
  t.match(ofFile, { code: 1, stderr: /^tollgate: --file redis:\/\/\.\.\.@127\.0\.0\.1:1: no such file/ })
  const missing = 'redis://...@127.0.0.1:1: no such file or folder'
  t.match(await tollgate('check', address), { code: 1, stdout: missing })
  const started = await tollgate('standalone', '--config', address)
  t.match(started.stdout + started.stderr, missing)
  t.notMatch(started.stdout + started.stderr, 'ter/2')
  t.match((await tollgate('audit', '--redis', 'redis://user:x@')).stderr, '://[user:password@]host')
})

t.test('sums by the same thing twice have it once', async (t) => {
  const sums = await tollgate('audit', '--file', '-', '--sum-by', 'model,tag:a', '--sum-by', 'model')
  t.match(sums.stdout, /^model +tag:a +requests /)
})

t.test('that no audit record matches, or that there is none at all, is said beside the output', async (t) => {
  const record = JSON.stringify({ type: 'audit', time: '2026-01-15T12:00:00.000Z', requestId: 'r' })
  const folder = t.testdir({ 'audit.log': `${record}\n`, 'notes.md': '# Notes\n{}\n' })
  const [log, notes] = [join(folder, 'audit.log'), join(folder, 'notes.md')]
  const cases: [string[], string][] = [
    [['--file', log, '--since', '2026-02-01'], 'no audit record matches'],
    [['--file', notes], `${notes} holds no audit record`],
    [['--file', '-', '--since', '2026-02-01'], 'standard input holds no audit record'],
  ]
  for (const [args, said] of cases)
    t.strictSame(await tollgate('audit', ...args), { code: 0, stdout: '', stderr: `tollgate: ${said}\n` })
})

t.test('a folder of audit records is none: a file is read', async (t) => {
  const stderr = `tollgate: --file ${import.meta.dirname} is a folder; name a file\n`
  t.match(await tollgate('audit', '--file', import.meta.dirname), { code: 1, stdout: '', stderr })
})

t.test('paths given to npm are taken from where it is called', async (t) => {
  const { INIT_CWD: _, ...env } = process.env
  const cwd = join(import.meta.dirname, '..', 'examples')
  const args = ['run', '--silent', 'tollgate', '--', 'check', 'standalone']
  const { stdout } = await promisify(execFile)('npm', args, { cwd, env })
  t.match(stdout, /^ok: 2 files, /m)
})

t.test('a checkout without its packages says so, not what a loader of modules cannot find', async (t) => {
  const manifest: unknown = JSON.parse(readFileSync(join(MAIN, '..', '..', 'package.json'), 'utf8'))
  const { scripts } = manifest as { readonly scripts: Readonly<Record<string, string>> }
  const outcome = promisify(execFile)('sh', ['-c', scripts['tollgate'] ?? ''], { cwd: t.testdir({}) })
  await t.rejects(outcome, { code: 2, stdout: '', stderr: 'tollgate: its packages are not here yet: make install\n' })
})

t.test('a reader that has enough (| head) ends a check as SIGPIPE would, without a stack', async (t) => {
  const shell = '{ "$0" "$@"; echo "exit $?" >&2; } | true'
  const { stderr } = await promisify(execFile)('sh', ['-c', shell, process.execPath, MAIN, 'check', MAIN])
  t.equal(stderr, 'exit 141\n')
})

t.test('of an audit record of before, JSON is one line for every reader', async (t) => {
  const model = { requested: 'line\u2028of\u007fits\u202eown' }
  const record = { type: 'audit', time: '2026-01-15T12:00:00.000Z', requestId: 'r', model }
  const folder = t.testdir({ 'audit.log': `${JSON.stringify(record)}\n` })
  const { stdout } = await tollgate('audit', '--file', join(folder, 'audit.log'), '--format', 'json')
  t.match(stdout, /^[ -~]+\n$/)
  t.match(JSON.parse(stdout), { model })
})

t.test('an output that cannot be written is a fault, and told', { skip: !existsSync('/dev/full') }, async (t) => {
  const record = JSON.stringify({ type: 'audit', time: '2026-01-15T12:00:00.000Z', requestId: 'r' })
  const folder = t.testdir({ 'audit.log': `${record}\n` })
  for (const args of [
    ['check', MAIN],
    ['check', '--help'],
    ['--version'],
    ['audit', '--file', join(folder, 'audit.log')],
  ]) {
    const outcome = promisify(execFile)('sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, MAIN, ...args])
    await t.rejects(outcome, { code: 1, stderr: /^tollgate: standard output: ENOSPC.*\n$/ }, args.join(' '))
  }
})
