import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { BatchedLines } from '../../../src/proxy/telemetry/batched-lines.ts'

t.test('writes lines by itself, in their order', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 1_000_000)
  for (let number = 0; number < 5; number += 1) lines.write(`${number}\n`)
  t.equal(readFileSync(file, 'utf8'), '', 'not one by one')
  while (readFileSync(file, 'utf8').length < 10) await sleep(1)
  t.equal(readFileSync(file, 'utf8'), '0\n1\n2\n3\n4\n')
  lines.write('5\n')
  while (readFileSync(file, 'utf8').length < 12) await sleep(1)
  t.equal(readFileSync(file, 'utf8'), '0\n1\n2\n3\n4\n5\n')
})

t.test('writes many lines whole', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 10_000_000)
  const all = Array.from({ length: 2_000 }, (_, number) => `${number} ${'x'.repeat(number % 300)}\n`)
  for (const line of all) lines.write(line)
  const text = all.join('')
  while (readFileSync(file, 'utf8').length < text.length) await sleep(1)
  t.equal(readFileSync(file, 'utf8'), text)
})

t.test('writes lines of any length and script in their order, with a line feed where one is asked for', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 10_000_000)
  const texts = [
    'short',
    '\u{1F600}\u00fc\u4f60'.repeat(30_000),
    '',
    '\u4f60'.repeat(21_845),
    'x'.repeat(65_536),
    '\u00fc'.repeat(100),
  ]
  for (const text of texts) {
    lines.writeLine(text)
    lines.write(`${text}\n`)
  }
  const expected = texts.flatMap((text) => [text, text]).join('\n') + '\n'
  while (statSync(file).size < Buffer.byteLength(expected)) await sleep(1)
  t.ok(readFileSync(file, 'utf8') === expected)
})

t.test('lines that come while others are written follow them', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 10_000_000)
  let expected = ''
  for (let round = 0; round < 40; round += 1) {
    for (let number = 0; number < 100; number += 1) {
      const line = `${round} ${number} ${'x'.repeat((round * number) % 1_000)}`
      lines.writeLine(line)
      expected += `${line}\n`
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  lines.writeLine('last')
  expected += 'last\n'
  while (statSync(file).size < expected.length) await sleep(1)
  t.ok(readFileSync(file, 'utf8') === expected)
})

t.test('writes what is buffered when asked to', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 1_000_000)
  lines.write('one\n')
  lines.flushSync()
  t.equal(readFileSync(file, 'utf8'), 'one\n')
})

t.test('what has been written out takes no room any more', async (t) => {
  const file = join(t.testdir({}), 'out')
  const line = `${'x'.repeat(39_999)}\n`
  const lines = new BatchedLines(openSync(file, 'w'), 3.5 * line.length)
  for (let number = 0; number < 4; number += 1) lines.write(line)
  lines.flushSync()
  for (let number = 0; number < 3; number += 1) lines.write(line)
  lines.flushSync()
  while (statSync(file).size < 7 * line.length) await sleep(1)
  t.equal(readFileSync(file, 'utf8'), line.repeat(7))
})

t.test('drops what a reader does not take in time, and goes on', async (t) => {
  const file = join(t.testdir({}), 'out')
  const lines = new BatchedLines(openSync(file, 'w'), 8)
  lines.write('one\n')
  lines.write('too long\n')
  lines.flushSync()
  lines.write('two\n')
  lines.flushSync()
  t.equal(readFileSync(file, 'utf8'), 'one\ntwo\n')
})

t.test('loses nothing when the process exits', async (t) => {
  const module = new URL('../../../src/proxy/telemetry/batched-lines.ts', import.meta.url).href
  const script = (end: string) =>
    `import { BatchedLines } from ${JSON.stringify(module)}; const lines = new BatchedLines(1, 1e6); process.on('exit', () => lines.flushSync()); lines.write('last\\n'); ${end}`
  for (const end of ['process.exit(3)', 'throw new Error("broken")', '']) {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script(end)], { encoding: 'utf8' })
    t.equal(stdout, 'last\n', end)
  }
})

t.test('an orderly end waits for no reader that stands still, and loses nothing to one that is slow', async (t) => {
  const module = new URL('../../../src/proxy/telemetry/batched-lines.ts', import.meta.url).href
  const script = `import { BatchedLines, withoutWaiting } from ${JSON.stringify(module)}
    const lines = new BatchedLines(withoutWaiting(1), 1e6)
    for (let number = 0; number < 500; number++) lines.writeLine(number + ' ' + 'x'.repeat(1_000))
    setTimeout(() => lines.settled().then(() => { lines.flushSync(); process.exit(3) }), Number(process.argv[1]))`
  /** Into a shell's pipe, as Node's own are sockets. Standard error tells the status at the end. */
  const pipedTo = (reader: string, afterMs: number) =>
    spawn(
      'sh',
      [
        '-c',
        `{ "$0" "$@"; echo $? >&2; } | ${reader}`,
        process.execPath,
        '--input-type=module',
        '-e',
        script,
        `${afterMs}`,
      ],
      { detached: true },
    )

  const standing = pipedTo('sleep 60', 300)
  const ended = await Promise.race([once(standing.stderr, 'data'), sleep(30_000, ['nothing'], { ref: false })])
  t.equal(String(ended[0]), '3\n')
  if (standing.pid !== undefined) process.kill(-standing.pid, 'SIGKILL')

  for (const afterMs of [0, 1, 30]) {
    const slow = pipedTo('(sleep 0.2; cat)', afterMs)
    const lines = (await readAll(slow.stdout)).trimEnd().split('\n')
    t.equal(lines.length, 500)
    t.ok(lines.every((line, index) => line === `${index} ${'x'.repeat(1_000)}`))
  }
})

t.test('nor does it wait where standard output is a socket', async (t) => {
  const module = new URL('../../../src/proxy/telemetry/batched-lines.ts', import.meta.url).href
  const script = `import { BatchedLines, withoutWaiting } from ${JSON.stringify(module)}
    const lines = new BatchedLines(withoutWaiting(1), 5e6)
    for (let number = 0; number < 3_000; number++) lines.writeLine(number + ' ' + 'x'.repeat(1_000))
    process.stderr.write('written')
    process.stdin.once('data', () => lines.settled().then(() => { lines.flushSync(); process.exit(3) }))`
  /** Node's own pipes to a child are pairs of sockets. */
  const start = () => spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' })

  const standing = start()
  t.teardown(() => standing.kill('SIGKILL'))
  await once(standing.stderr, 'data')
  standing.stdin.write('end')
  t.strictSame(await Promise.race([once(standing, 'exit'), sleep(30_000, 'it waits', { ref: false })]), [3, null])

  const reading = start()
  t.teardown(() => reading.kill('SIGKILL'))
  const all = readAll(reading.stdout)
  await once(reading.stderr, 'data')
  reading.stdin.write('end')
  const lines = (await all).trimEnd().split('\n')
  t.equal(lines.length, 3_000)
  t.ok(lines.every((line, index) => line === `${index} ${'x'.repeat(1_000)}`))
})

t.test('what a full disk does not take is written when there is room again', async (t) => {
  const file = join(t.testdir({}), 'out')
  const module = new URL('../../../src/proxy/telemetry/batched-lines.ts', import.meta.url).href
  // Full twice, with room for three bytes each time between.
  const script = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { write } = fs
    let writes = 0
    fs.write = (descriptor, bytes, from, length, position, done) => {
      writes += 1
      if (writes % 2 === 1 && writes < 5) done(Object.assign(new Error('full'), { code: 'ENOSPC' }), 0)
      else write(descriptor, bytes, from, writes < 5 ? 3 : length, position, done)
    }
    syncBuiltinESMExports()
    const { BatchedLines } = await import(${JSON.stringify(module)})
    const lines = new BatchedLines(fs.openSync(process.argv[1], 'w'), 1e6)
    lines.writeLine('one line')
    setTimeout(() => lines.writeLine('another'), 500)
    setTimeout(() => lines.flushSync(), 1_000)`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script, file])
  t.equal(status, 0)
  t.equal(readFileSync(file, 'utf8'), 'one line\nanother\n')
})

t.test('goes on where nobody reads', async (t) => {
  const file = join(t.testdir({ out: '' }), 'out')
  const lines = new BatchedLines(openSync(file, 'r'), 1_000)
  lines.write('one\n')
  lines.flushSync()
  lines.write('two\n')
  t.equal(readFileSync(file, 'utf8'), '')
})

t.test('a reader that stands still gets whole lines in their order, and what comes once it reads again', async (t) => {
  const module = new URL('../../../src/proxy/telemetry/batched-lines.ts', import.meta.url).href
  const script = `import { BatchedLines } from ${JSON.stringify(module)}
    const lines = new BatchedLines(1, 500_000)
    for (let number = 0; number < 3_000; number++) lines.writeLine(number + ' ' + 'x'.repeat(1_000))
    process.stderr.write('written')
    process.stdin.once('data', () => { lines.writeLine('last'); process.stdin.unref() })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  await once(child.stderr, 'data')
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    // Far more than a pipe holds: it came from the waiting lines.
    if (text.length > 400_000 && !child.stdin.writableEnded) child.stdin.end('go on')
  })
  await once(child, 'close')
  const lines = text.trimEnd().split('\n')
  t.equal(lines.pop(), 'last')
  t.ok(lines.length > 400 && lines.length < 700, `${lines.length} lines were kept`)
  t.ok(lines.every((line, index) => line === `${index} ${'x'.repeat(1_000)}`))
})
