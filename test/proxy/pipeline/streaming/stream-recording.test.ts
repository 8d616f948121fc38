import fc from 'fast-check'
import t from 'tap'
import type { ProviderFormatName } from '../../../../src/domain/completion/request.ts'
import { formatOf } from '../../../../src/domain/formats/registry.ts'
import type { StreamItem } from '../../../../src/proxy/pipeline/streaming/item-stream.ts'
import { StreamRecording } from '../../../../src/proxy/pipeline/streaming/stream-recording.ts'
import { cuts, script, streamOf, type Cuts, type Script } from '../../../domain/formats/generated-streams.ts'

const FORMATS: readonly ProviderFormatName[] = ['chat-completions', 'messages', 'generate-content']

function itemsOf(format: ProviderFormatName, said: Script, cut: Cuts): StreamItem[] {
  const decoder = formatOf(format).createStreamDecoder()
  return streamOf(format, said, cut).map((event) => ({ event, parts: decoder.push(event) }))
}

t.test('what is read from a recording is what was recorded, whatever was streamed', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), script, cuts, fc.nat(40), (name, said, cut, batchSize) => {
      const items = itemsOf(name, said, cut)
      const recording = new StreamRecording()
      for (let at = 0; at < items.length; at += batchSize + 1) {
        t.ok(recording.add(items.slice(at, at + batchSize + 1)))
      }
      t.strictSame(recording.items(formatOf(name)), items)
    }),
  )
  t.end()
})

t.test('a recording grows with what it records', (t) => {
  const format = formatOf('chat-completions')
  const decoder = format.createStreamDecoder()
  const recording = new StreamRecording()
  const items: StreamItem[] = ['a', 'ß'.repeat(9_000), '日'.repeat(20_000), '😀'].map((content) => {
    const event = { data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] }) }
    return { event, parts: decoder.push(event) }
  })
  for (const item of items) t.ok(recording.add([item]))
  t.strictSame(recording.items(format), items)
  t.end()
})

t.test('parts without an event cannot be recorded, and nothing of their batch is', (t) => {
  const recording = new StreamRecording()
  const event = { data: '{"choices":[]}' }
  t.ok(recording.add([{ event, parts: [] }, { parts: [] }]), 'an item that says nothing need not be')
  t.notOk(recording.add([{ event, parts: [] }, { parts: [{ type: 'ping' }] }]))
  t.equal(recording.items(formatOf('chat-completions')).length, 1)
  t.end()
})

t.test('an event of several lines cannot be recorded', (t) => {
  const recording = new StreamRecording()
  t.notOk(recording.add([{ event: { data: '{\n}' }, parts: [] }]))
  t.strictSame(recording.items(formatOf('chat-completions')), [])
  t.end()
})

t.test('an empty recording is an empty stream', (t) => {
  t.strictSame(new StreamRecording().items(formatOf('messages')), [])
  t.end()
})
