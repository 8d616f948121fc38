// An application: official SDKs that read nothing but their usual environment variables. It knows nothing of a gateway.
//   POST /ask {sdk, stream, prompt, model, headers, maxTokens}   answers lines of JSON: {"delta"} as they come, then {"done"} or {"error"}
import { createServer } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'

// Retries would hide what the tests look for.
const openai = new OpenAI({ maxRetries: 0 })
const anthropic = new Anthropic({ maxRetries: 0 })

const ASKS = {
  async openai({ stream, prompt, model = 'auto', headers, maxTokens }, onDelta) {
    const body = { model, messages: [{ role: 'user', content: prompt }], ...(maxTokens && { max_tokens: maxTokens }) }
    const call = openai.chat.completions.create({ ...body, stream }, { headers })
    const { data, response } = await call.withResponse()
    if (!stream) return { text: data.choices[0].message.content, response }
    for await (const chunk of data) onDelta(chunk.choices[0]?.delta?.content ?? '')
    return { response }
  },
  async anthropic({ stream, prompt, model = 'auto', headers, maxTokens = 512 }, onDelta) {
    const body = { model, max_tokens: maxTokens, messages: [{ role: 'user', content: prompt }] }
    const { data, response } = await anthropic.messages.create({ ...body, stream }, { headers }).withResponse()
    if (!stream) return { text: data.content[0].text, response }
    for await (const event of data) if (event.type === 'content_block_delta') onDelta(event.delta.text)
    return { response }
  },
}

if (process.argv[2] === 'once') {
  // What a Job or an init container does: one question, its answer on standard output.
  console.log((await ASKS[process.argv[3]]({ prompt: process.argv[4], stream: false })).text)
} else {
  serve()
}

function serve() {
  const server = createServer((request, response) => {
    if (request.url === '/ask') answer(request, response)
    else response.end('ok')
  })
  server.keepAliveTimeout = 500
  server.listen(8080)
  process.on('SIGTERM', () => server.close())
}

async function answer(request, response) {
  let pieces = 0
  let text = ''
  const line = (document) => response.write(`${JSON.stringify(document)}\n`)
  try {
    const asked = JSON.parse((await request.toArray()).join(''))
    const result = await ASKS[asked.sdk ?? 'openai'](asked, (delta) => {
      if (delta === '') return
      pieces += 1
      text += delta
      line({ delta })
    })
    line({ done: true, text: result.text ?? text, pieces, headers: Object.fromEntries(result.response.headers) })
  } catch (error) {
    const headers = error.headers ? Object.fromEntries(error.headers) : {}
    line({
      error: {
        status: error.status ?? 0,
        code: error.code ?? error.error?.error?.type,
        message: String(error.message),
      },
      headers,
    })
  }
  response.end()
}
