import t from 'tap'
import { runAudit } from '../src/audit.ts'
import { runCache } from '../src/cache.ts'
import { runCheck } from '../src/check.ts'
import { runCleanup } from '../src/cleanup.ts'
import {
  parseChoice,
  parseFlags,
  parseListenAddress,
  parseWholeNumber,
  UsageError,
  withVariables,
  type FlagSpec,
} from '../src/command-line.ts'
import { parseSettings } from '../src/data-plane.ts'
import { runOperator } from '../src/operator.ts'
import { runSidecar } from '../src/sidecar.ts'
import { runStandalone } from '../src/standalone.ts'
import { runVerify } from '../src/verify.ts'

t.test('a word is one of those that are known', async (t) => {
  t.equal(parseChoice('log-level', ['info', 'warn'], 'warn'), 'warn')
  for (const wrong of ['', 'Warn', 'warning', 'toString'])
    t.throws(
      () => parseChoice('log-level', ['info', 'warn'], wrong),
      new UsageError(`--log-level must be one of info, warn, not ${wrong}`),
    )
})

t.test('a whole number is written in digits, between its bounds', async (t) => {
  t.strictSame(
    ['1', '007', '65535'].map((text) => parseWholeNumber('port', text, 1, 65_535)),
    [1, 7, 65_535],
  )
  for (const wrong of ['', '0', '65536', '-1', '1.5', '1e3', '0x10', ' 1', '9'.repeat(40)])
    t.throws(
      () => parseWholeNumber('port', wrong, 1, 65_535),
      new UsageError(`--port must be a whole number from 1 to 65535, not ${wrong}`),
    )
})

t.test('an address to listen at has a host, or none for all', async (t) => {
  const cases: [string, string | undefined, number][] = [
    ['127.0.0.1:4141', '127.0.0.1', 4141],
    ['localhost:0', 'localhost', 0],
    ['[::1]:65535', '::1', 65_535],
    ['[::]:1', '::', 1],
    [':4142', undefined, 4142],
  ]
  for (const [text, host, port] of cases) t.strictSame(parseListenAddress('admin', text), { host, port }, text)
  for (const wrong of ['', ':', '4142', '::1:80', '[]:80', '[x]:80', 'a b:80', ':-1', ':8a', 'http://a:80'])
    t.throws(
      () => parseListenAddress('admin', wrong),
      new UsageError(`--admin must be host:port, for example 127.0.0.1:4142, not ${wrong}`),
    )
  for (const [flag, example] of [
    ['listen', '127.0.0.1:4141'],
    ['listen-grpc', ':8443'],
    ['listen-webhook', ':9443'],
  ] as const)
    t.throws(
      () => parseListenAddress(flag, 'x'),
      new UsageError(`--${flag} must be host:port, for example ${example}, not x`),
    )
  for (const wrong of [':65536', '127.0.0.1:70000', `[::1]:${'9'.repeat(40)}`])
    t.throws(
      () => parseListenAddress('listen', wrong),
      new UsageError(`--listen must have a port from 0 to 65535, not ${wrong}`),
    )
})

t.test('one address for both servers is refused as such, but for port 0, which is another each time', async (t) => {
  const flags = { 'max-body-bytes': '1', 'log-level': 'info' }
  t.throws(
    () => parseSettings({ ...flags, listen: '127.0.0.1:5000', admin: '127.0.0.1:05000' }),
    new UsageError('--admin 127.0.0.1:05000 is the address of --listen; take another port, or 0 for any free one'),
  )
  for (const [listen, admin] of [
    ['127.0.0.1:0', '127.0.0.1:0'],
    ['127.0.0.1:5000', '127.0.0.2:5000'],
    [':5000', ':5001'],
  ] as const)
    t.doesNotThrow(() => parseSettings({ ...flags, listen, admin }), `${listen} ${admin}`)
})

const SPECS = {
  state: { type: 'text', help: '' },
  tag: { type: 'list', help: '' },
  demo: { type: 'switch', help: '' },
} as const satisfies Record<string, FlagSpec>

t.test('a list keeps all that is given, everything else the last', async (t) => {
  const given = ['--state', 'x', '--tag=a', '--tag', 'b', '--demo']
  t.strictSame(parseFlags(given, SPECS, {}), { state: 'x', tag: ['a', 'b'], demo: true })
  t.strictSame(parseFlags([...given, '--state=y', '--demo'], SPECS, {}), { state: 'y', tag: ['a', 'b'], demo: true })
})

t.test('a switch is on or off as is said last, on the command line before the environment', async (t) => {
  const cases: [string[], string, boolean][] = [
    [['--no-demo'], 'true', false],
    [['--demo', '--no-demo'], '', false],
    [['--no-demo', '--demo'], 'false', true],
    [['--demo'], 'false', true],
    [[], 'true', true],
  ]
  for (const [args, TOLLGATE_DEMO, demo] of cases)
    t.equal(parseFlags(args, SPECS, { TOLLGATE_DEMO }).demo, demo, `${args.join(' ')} ${TOLLGATE_DEMO}`)
})

t.test('what means nothing is refused', async (t) => {
  const cases: [string[], RegExp][] = [
    [['--state='], /^--state has an empty value$/],
    [['--state', ''], /^--state has an empty value$/],
    [['--tag='], /^--tag has an empty value$/],
    [['stray'], /'stray'.*--help lists the flags$/],
    [['--', 'stray'], /'stray'.*--help lists the flags$/],
    [['--state'], /argument missing.*--help lists the flags$/],
    [['--state', '--demo'], /^Option '--state' argument is ambiguous. .*'--state=-XYZ'; --help lists the flags$/],
    [['--no-state'], /'--no-state'.*--help lists the flags$/],
    [['--states', 'x'], /^Unknown option '--states', did you mean --state\?; --help lists the flags$/],
    [['--demo', '-s', 'x'], /^Unknown option '-s', did you mean --state\?; --help lists the flags$/],
    [['--no-state', '--dmeo'], /^Unknown option '--no-state'; --help lists the flags$/],
    [['x', '--states', 'y'], /positional arguments; --help lists the flags$/],
    [['--no-dmeo'], /^Unknown option '--no-dmeo', did you mean --no-demo\?; --help lists the flags$/],
    [['-x'], /^Unknown option '-x'; --help lists the flags$/],
    [['--no-demo=yes'], /does not take an argument.*--help lists the flags$/],
    [['--demo=yes'], /does not take an argument.*--help lists the flags$/],
  ]
  for (const [wrong, message] of cases) t.throws(() => parseFlags(wrong, SPECS, {}), { message }, wrong.join(' '))
  t.strictSame(parseFlags([], SPECS, { TOLLGATE_STATE: '' }), { state: undefined, tag: [], demo: false })
})

t.test("a virtual key's text in place of its name is not shown again", async (t) => {
  const text = `tollgate_${'a1B2c3D4'.repeat(5)}`
  const message =
    '--key (TOLLGATE_KEY) must be namespace/name of a VirtualKey, such as default/demo, not the key itself'
  const redis = ['--redis=redis://localhost', '--organization=o']
  const refusals = [
    runAudit(['--file=-', `--key=${text}`], {}),
    runAudit(['--file=-'], { TOLLGATE_KEY: text }),
    runCache(['purge', ...redis], { TOLLGATE_KEY: text }),
  ]
  for (const refusal of refusals) await t.rejects(refusal, { constructor: UsageError, message })
})

t.test('what is no address of Redis, no name or no path is refused before anything is asked', async (t) => {
  const operator = (...args: string[]) => runOperator(['--redis', 'redis://localhost', ...args], {})
  const cleanup = (...args: string[]) => runCleanup(args, {})
  const verify = (...args: string[]) => runVerify(args, {})
  const refusals: [Promise<unknown>, RegExp][] = [
    [runCache(['purge', '--organization=o', '--redis=nonsense'], {}), /^--redis: not a Redis address/],
    [runAudit(['--redis=nonsense'], {}), /^--redis: not a Redis address/],
    [operator('--redis=nonsense'), /^--redis: not a Redis address/],
    [operator('--sidecar-redis=nonsense'), /^--sidecar-redis: not a Redis address/],
    [runStandalone(['--config=nowhere', '--redis=http://x'], {}), /^--redis: not a Redis address/],
    [runSidecar(['--operator=:8443', '--ca=x'], {}), /^--operator must be host:port, with a host/],
    [
      runSidecar(['--operator=nonsense', '--ca=x'], {}),
      /^--operator must be host:port, for example tollgate-\S+:8443, not nonsense$/,
    ],
    [cleanup('--redis=nonsense'), /^--redis: not a Redis address/],
    ...['namespace', 'redis-secret', 'webhook-configuration', 'tls-secret', 'lease-name'].map(
      (flag): [Promise<unknown>, RegExp] => [operator(`--${flag}=../x`), new RegExp(`^--${flag} must be a name`)],
    ),
    ...['namespace', 'redis-secret', 'webhook-configuration', 'operator', 'verify-pod'].map(
      (flag): [Promise<unknown>, RegExp] => [cleanup(`--${flag}=a b`), new RegExp(`^--${flag} must be a name`)],
    ),
    ...['namespace', 'webhook-configuration', 'organization'].map((flag): [Promise<unknown>, RegExp] => [
      verify(`--${flag}=Ü`),
      new RegExp(`^--${flag} must be a name`),
    ]),
    [runCheck([''], {}), /^a path is empty; usage: tollgate check/],
    [runCheck([], {}), /^usage: tollgate check/],
    [
      runCheck(['examples', '--stric'], {}),
      /^unknown option '--stric', did you mean --strict\?; usage: tollgate check/,
    ],
    [runCache([], {}), /^usage: tollgate cache purge/],
    [runCache(['prune', '--organization=o'], {}), /^there is no cache prune; usage: tollgate cache purge/],
    [runCache(['purge', '--organization=o'], {}), /^--redis is required; usage: tollgate cache purge/],
    [
      runCache(['purge'], { TOLLGATE_REDIS: 'redis://localhost' }),
      /^--organization is required; usage: tollgate cache/,
    ],
    [runCheck(['--strict'], {}), /^usage: tollgate check/],
  ]
  for (const [refusal, message] of refusals) await t.rejects(refusal, { constructor: UsageError, message })
})

t.test('what a variable gave is told with its name, as nobody has written the flag', async (t) => {
  const environment = { TOLLGATE_FORMAT: 'x', TOLLGATE_LOG_LEVEL: 'x', TOLLGATE_KEY: 'x', TOLLGATE_REDIS: '' }
  const cases: [string, string[], string][] = [
    ['--format must be one of a, not x', [], '--format (TOLLGATE_FORMAT) must be one of a, not x'],
    ['--log-level must be one of a', ['--config', 'y'], '--log-level (TOLLGATE_LOG_LEVEL) must be one of a'],
    ['--format: bad', ['--formats', 'y'], '--format (TOLLGATE_FORMAT): bad'],
    ['--format must be one of a, not y', ['--format', 'y'], '--format must be one of a, not y'],
    ['--format must be one of a, not y', ['--format=y'], '--format must be one of a, not y'],
    ['--key (TOLLGATE_KEY) must be', [], '--key (TOLLGATE_KEY) must be'],
    ['--redis is required', [], '--redis is required'],
    ['--file and --key exclude each other', ['--file', 'y'], '--file and --key (TOLLGATE_KEY) exclude each other'],
    ['--key x is that of --format', [], '--key (TOLLGATE_KEY) x is that of --format (TOLLGATE_FORMAT)'],
    ['--port must be', [], '--port must be'],
    ['TOLLGATE_FORMAT must be', [], 'TOLLGATE_FORMAT must be'],
    ['usage: --format', [], 'usage: --format'],
  ]
  for (const [message, args, told] of cases) t.equal(withVariables(message, args, environment), told, message)
})
