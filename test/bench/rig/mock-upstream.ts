/**
 * The provider that every contender talks to: a raw TCP server that knows just enough HTTP to be fast. Every POST is
 * answered with the same chat completion; a body with `"stream":true` gets CHUNKS chunks, one each CHUNK_INTERVAL_MS, each
 * with the monotonic time of its writing (`t_<microseconds in base 36>_`), which the load generator subtracts. The first
 * comes with the role, as providers send it: a gateway that fails over until there is content waits for that one.
 * Run as a process of its own; prints its port. Lives until its standard input closes.
 */
import { createServer } from 'node:net'
import type { Socket } from 'node:net'

const CHUNKS = 40
const CHUNK_INTERVAL_MS = 25
/** Never reached by the bench; keeps a wrong use from eating memory. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024

const COMPLETION = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'bench-model',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'The quarterly report is ready and was sent to the whole team. '.repeat(5),
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 290, completion_tokens: 64, total_tokens: 354 },
})
const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(COMPLETION)}\r\n\r\n${COMPLETION}`,
)
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n'

const server = createServer({ noDelay: true }, (socket) => {
  let waiting: Buffer | undefined
  socket.on('error', () => socket.destroy())
  socket.on('data', (data: Buffer) => {
    waiting = waiting === undefined ? data : Buffer.concat([waiting, data])
    while (waiting !== undefined) {
      const length = requestLength(waiting)
      if (length === undefined) {
        if (waiting.length > MAX_REQUEST_BYTES) socket.destroy()
        return
      }
      const wantsStream = waiting.subarray(0, length).includes('"stream":true')
      waiting = length < waiting.length ? waiting.subarray(length) : undefined
      if (wantsStream) sendStream(socket)
      else socket.write(ANSWER)
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object')
    process.stdout.write(`${JSON.stringify({ port: address.port })}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()

/** Bytes of the first whole request; undefined while it is incomplete. */
function requestLength(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const bodyStart = headEnd + 4
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bodyStart + Number(length) <= bytes.length ? bodyStart + Number(length) : undefined
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return bodyStart
  const end = bytes.indexOf('0\r\n\r\n', bodyStart)
  return end < 0 ? undefined : end + 5
}

function sendStream(socket: Socket): void {
  let sent = 1
  socket.write(STREAM_HEAD + chunkOf({ role: 'assistant', content: '' }, null) + wordNow())
  const timer = setInterval(() => {
    sent += 1
    if (socket.destroyed) clearInterval(timer)
    else if (sent <= CHUNKS) socket.write(wordNow())
    else {
      clearInterval(timer)
      const usage = { prompt_tokens: 290, completion_tokens: CHUNKS, total_tokens: 290 + CHUNKS }
      socket.write(
        `${chunkOf({}, 'stop')}${framed(event({ choices: [], usage }))}${framed('data: [DONE]\n\n')}0\r\n\r\n`,
      )
    }
  }, CHUNK_INTERVAL_MS)
}

function wordNow(): string {
  return chunkOf({ content: `word t_${nowMicros().toString(36)}_ ` }, null)
}

function chunkOf(delta: object, finishReason: string | null): string {
  return framed(event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] }))
}

function event(fields: object): string {
  const document = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench-model',
    ...fields,
  }
  return `data: ${JSON.stringify(document)}\n\n`
}

function framed(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

/** The same clock in every process of the machine. */
function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
