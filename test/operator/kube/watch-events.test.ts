import fc from 'fast-check'
import t from 'tap'
import { decodeWatchEvents } from '../../../src/operator/kube/watch-events.ts'
import type { WatchEvent } from '../../../src/operator/kube/watch-events.ts'

const OBJECT = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ä\n€', namespace: 'n', resourceVersion: '7' } }

async function decode(chunks: readonly Buffer[]): Promise<WatchEvent[]> {
  return Array.fromAsync(decodeWatchEvents(iterate(chunks)))
}

async function* iterate(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`
}

t.test('events are the same however their bytes are cut', async (t) => {
  const text = Buffer.from(
    line('ADDED', OBJECT) +
      line('MODIFIED', OBJECT) +
      line('DELETED', OBJECT) +
      '\n' +
      line('BOOKMARK', { metadata: { resourceVersion: '9' } }),
  )
  const whole = await decode([text])
  t.strictSame(
    whole.map(({ type }) => type),
    ['object-changed', 'object-changed', 'object-deleted', 'bookmark'],
  )
  t.match(whole[0], { object: OBJECT })
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(text.length)), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      const parts = at.slice(1).map((end, index) => text.subarray(at[index], end))
      return JSON.stringify(await decode(parts)) === JSON.stringify(whole)
    }),
    { numRuns: 50 },
  )
})

t.test('an event that was cut off by the end is not told', async (t) => {
  t.strictSame(await decode([Buffer.from(line('ADDED', OBJECT).slice(0, -5))]), [])
})

t.test('an ERROR event is thrown as the error that it tells', async (t) => {
  const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }
  await t.rejects(decode([Buffer.from(line('ERROR', status))]), {
    name: 'KubeError',
    isExpired: true,
    message: 'too old resource version',
  })
  await t.rejects(decode([Buffer.from(line('ERROR', null))]), { name: 'KubeError', message: 'status 0' })
})

t.test('what is no event is refused without quoting it', async (t) => {
  const secret = 'hunter2'
  for (const bad of [
    `{"type": "ADDED", ${secret}\n`,
    `"${secret}"\n`,
    line('ADDED', { data: secret }),
    line('OTHER', OBJECT),
    line('BOOKMARK', {}),
    line('ADDED', { ...OBJECT, metadata: { name: 'a' } }),
  ]) {
    const error = await decode([Buffer.from(bad)]).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    t.match(error, { name: 'KubeError', reason: 'MalformedResponse' })
    t.notMatch(String(error), secret)
  }
})

t.test('a line without an end does not fill the memory', async (t) => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(1 << 20, 'x')
  }
  await t.rejects(Array.fromAsync(decodeWatchEvents(endless())), {
    reason: 'MalformedResponse',
    message: /larger than/,
  })
})
