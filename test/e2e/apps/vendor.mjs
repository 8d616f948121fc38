// Vendors of models, several in one process: /<name>/v1/chat/completions (OpenAI) and /<name>/v1/messages (Anthropic). Each checks its key,
// says what it was asked, and remembers it. "N pieces" in the prompt: a stream of N words, 100 ms apart.
//   GET /log/<name>      what came: [{key, model, stream, body}]
//   POST /set/<name>     {keys: accepted ones (any where empty), failWith: status (0: none)}; forgets the log
import { createServer } from 'node:http'

const KEPT = 2_000
const PIECE_MS = 100
const vendors = new Map()
const vendorOf = (name) => vendors.get(name) ?? vendors.set(name, { keys: [], failWith: 0, log: [] }).get(name)

const server = createServer(async (request, response) => {
  const body = (await request.toArray()).join('')
  const [, first, second, ...rest] = request.url.split('?')[0].split('/')
  const json = (document, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document))
  }
  if (first === 'log') return json(vendorOf(second).log)
  if (first === 'set') {
    vendors.set(second, { ...vendorOf(second), ...JSON.parse(body), log: [] })
    return json({})
  }
  const format = { 'chat/completions': chat, messages }[rest.join('/')]
  if (second !== 'v1' || format === undefined) return response.end('ok')
  const vendor = vendorOf(first)
  const key = (request.headers.authorization ?? request.headers['x-api-key'] ?? '').replace('Bearer ', '')
  const asked = JSON.parse(body)
  vendor.log = [...vendor.log.slice(-KEPT), { key, model: asked.model, stream: asked.stream === true, body }]
  if (vendor.keys.length > 0 && !vendor.keys.includes(key)) return json(format.error(401, 'wrong key'), 401)
  if (vendor.failWith) return json(format.error(vendor.failWith, 'told to fail'), vendor.failWith)
  const prompt = textOf(asked.messages.at(-1).content)
  const count = Number(/(\d+) pieces/.exec(prompt)?.[1] ?? 0)
  const words =
    count > 0
      ? Array.from({ length: count }, (_, at) => `word${at} `)
      : `${first} was asked: ${prompt}`.match(/\s*\S+/g)
  const usage = { input: Math.ceil(body.length / 4), output: words.length }
  if (!asked.stream) return json(format.whole(asked.model, words.join(''), usage))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of format.events(asked, words, usage)) {
    if (count > 0) await new Promise((resolve) => setTimeout(resolve, PIECE_MS))
    if (response.destroyed) return
    response.write(event)
  }
  response.end()
})
server.listen(8080)
process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})

function textOf(content) {
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')
}

const chat = {
  error: (status, message) => ({ error: { message, type: 'server_error', code: `e${status}`, param: null } }),
  whole: (model, content, usage) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: chat.usage(usage),
  }),
  usage: ({ input, output }) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output }),
  *events({ model, stream_options: options }, words, usage) {
    const chunk = (rest) =>
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, ...rest })}\n\n`
    const choice = (delta, reason = null) => chunk({ choices: [{ index: 0, delta, finish_reason: reason }] })
    yield choice({ role: 'assistant', content: '' })
    for (const content of words) yield choice({ content })
    yield choice({}, 'stop')
    if (options?.include_usage) yield chunk({ choices: [], usage: chat.usage(usage) })
    yield 'data: [DONE]\n\n'
  },
}

const messages = {
  error: (_status, message) => ({ type: 'error', error: { type: 'api_error', message } }),
  whole: (model, text, usage) => ({
    ...messages.head(model, usage),
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
  }),
  head: (model, { input, output }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }),
  *events({ model }, words, usage) {
    const event = (document) => `event: ${document.type}\ndata: ${JSON.stringify(document)}\n\n`
    yield event({ type: 'message_start', message: messages.head(model, { ...usage, output: 1 }) })
    yield event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
    for (const text of words)
      yield event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
    yield event({ type: 'content_block_stop', index: 0 })
    const delta = { stop_reason: 'end_turn', stop_sequence: null }
    yield event({ type: 'message_delta', delta, usage: { output_tokens: usage.output } })
    yield event({ type: 'message_stop' })
  },
}
