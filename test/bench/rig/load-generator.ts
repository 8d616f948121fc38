/**
 * The load: keep-alive connections that each send one request, read the whole answer, and send the next. Raw sockets and
 * a parser that knows only what the bench's answers look like, so that it costs less than what it measures.
 * Run as a process of its own: options as JSON in the first argument, the result as JSON on stdout.
 */
import { connect } from 'node:net'
import { percentile } from './statistics.ts'

export interface LoadOptions {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly stream: boolean
  /** Not counted. */
  readonly warmUpMs: number
  readonly durationMs: number
}

export interface LoadResult {
  readonly requests: number
  /** Answers that were not 200, and broken connections. */
  readonly errors: number
  /** The first answer that was not 200, shortened. */
  readonly firstError: string | undefined
  readonly seconds: number
  readonly latencyMicros: Quantiles
  /** From sending a request to the first byte of the answer's body that carries an event. Streams only. */
  readonly firstByteMicros: Quantiles
  /** From the mock's writing of a chunk to its arrival here; not of the first. Streams only. */
  readonly chunkMicros: Quantiles
}

export interface Quantiles {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

/** About as long as a stream lasts: the streams stay spread as they follow each other. */
const STREAM_SPREAD_MS = 1_000
/** 12 digits that differ in every request, so that no exact cache can answer. */
const COUNTER_MARK = '000000000000'
const PROSE =
  'Our team met on Tuesday to look at the numbers of the last quarter, and most of the plans that we made in spring went well. ' +
  'Please write to maria.rossi@example.com about the open points and keep the tone friendly. '

const options: LoadOptions = JSON.parse(process.argv[2] ?? '{}')
const template = buildRequest()
const counterAt = template.indexOf(COUNTER_MARK)
const measuring = {
  from: performance.now() + options.warmUpMs,
  until: performance.now() + options.warmUpMs + options.durationMs,
}
const latencies: number[] = []
const firstBytes: number[] = []
const chunkDelays: number[] = []
let sentRequests = 0
let requests = 0
let errors = 0
let firstError: string | undefined

await Promise.all(Array.from({ length: options.connections }, (_, index) => runConnection(index)))
const result: LoadResult = {
  requests,
  errors,
  firstError,
  seconds: options.durationMs / 1_000,
  latencyMicros: quantiles(latencies),
  firstByteMicros: quantiles(firstBytes),
  chunkMicros: quantiles(chunkDelays),
}
process.stdout.write(JSON.stringify(result))

/** Resolves when the time is over; a broken connection is counted and ends. Streams start spread, as users do. */
function runConnection(index: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: options.host, port: options.port, noDelay: true })
    const endTimer = setTimeout(finish, measuring.until - performance.now() + 50)
    let startedAt = 0
    let answer = newAnswer()

    function finish() {
      clearTimeout(endTimer)
      socket.removeAllListeners('close')
      socket.destroy()
      resolve()
    }
    function send() {
      startedAt = performance.now()
      if (startedAt >= measuring.until) return finish()
      answer = newAnswer()
      socket.write(nextRequest())
    }
    socket.on('connect', () =>
      options.stream ? setTimeout(send, (index / options.connections) * STREAM_SPREAD_MS) : send(),
    )
    socket.on('error', () => {})
    socket.on('close', () => {
      errors += 1
      firstError ??= 'the connection was closed'
      finish()
    })
    socket.on('data', (data: Buffer) => {
      const now = performance.now()
      const counts = now >= measuring.from && now < measuring.until
      if (!readAnswer(answer, data, counts ? startedAt : undefined, now)) return
      if (counts) record(answer, now - startedAt)
      send()
    })
  })
}

interface Answer {
  status: string
  /** Body bytes still to come; -1: in chunks; undefined: no head yet. */
  left: number | undefined
  head: string
  tail: string
  sawFirstByte: boolean
}

function newAnswer(): Answer {
  return { status: '', left: undefined, head: '', tail: '', sawFirstByte: false }
}

function record(answer: Answer, elapsedMs: number): void {
  if (answer.status === '200') {
    requests += 1
    latencies.push(elapsedMs * 1_000)
    return
  }
  errors += 1
  firstError ??= answer.head.slice(0, 600)
}

/** Whether the answer is complete. `startedAt` is undefined outside the measured time. */
function readAnswer(answer: Answer, data: Buffer, startedAt: number | undefined, now: number): boolean {
  let bodyAt = 0
  if (answer.left === undefined) {
    answer.head += data.toString('latin1')
    const headEnd = answer.head.indexOf('\r\n\r\n')
    if (headEnd < 0) return false
    bodyAt = Math.max(0, data.length - (answer.head.length - headEnd - 4))
    answer.status = answer.head.slice(9, 12)
    const length = /\r\ncontent-length: *(\d+)/i.exec(answer.head.slice(0, headEnd + 2))?.[1]
    answer.left = length === undefined ? -1 : Number(length)
  }
  if (options.stream && bodyAt < data.length) readStamps(answer, data.toString('latin1', bodyAt), startedAt, now)
  if (answer.left >= 0) {
    answer.left -= data.length - bodyAt
    return answer.left <= 0
  }
  answer.tail = (answer.tail + data.toString('latin1', Math.max(bodyAt, data.length - 5))).slice(-5)
  return answer.tail === '0\r\n\r\n'
}

function readStamps(answer: Answer, text: string, startedAt: number | undefined, now: number): void {
  const isFirst = !answer.sawFirstByte
  answer.sawFirstByte = true
  if (startedAt === undefined) return
  // What comes with the first byte is measured by it.
  if (isFirst) return void firstBytes.push((now - startedAt) * 1_000)
  const nowMicros = Number(process.hrtime.bigint() / 1_000n)
  for (const [, stamp] of text.matchAll(/ t_([0-9a-z]+)_ /g))
    chunkDelays.push(nowMicros - Number.parseInt(stamp ?? '', 36))
}

function nextRequest(): Buffer {
  sentRequests += 1
  const request = Buffer.from(template)
  request.write(
    `${process.pid}`.padStart(6, '0').slice(-6) + `${sentRequests}`.padStart(6, '0').slice(-6),
    counterAt,
    'latin1',
  )
  return request
}

/** A chat request of 1.2 KB: a system message, prose with one address in it, a counter. */
function buildRequest(): Buffer {
  const body = JSON.stringify({
    model: 'bench-model',
    messages: [
      { role: 'system', content: 'You are a careful assistant. Answer in English and in full sentences.' },
      { role: 'user', content: `Request ${COUNTER_MARK}. ${PROSE.repeat(4)}` },
    ],
    temperature: 0.7,
    max_tokens: 256,
    stream: options.stream,
  })
  const headers = Object.entries(options.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${options.path} HTTP/1.1\r\nHost: ${options.host}:${options.port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${headers.join('')}\r\n${body}`,
  )
}

function quantiles(numbers: readonly number[]): Quantiles {
  return { count: numbers.length, p50: percentile(numbers, 0.5), p99: percentile(numbers, 0.99) }
}
