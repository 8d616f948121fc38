import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { messages } from '../../../../src/domain/formats/messages/messages.ts'
import type { FormatName } from '../../../../src/domain/completion/request.ts'
import type { JsonObject } from '../../../../src/domain/json.ts'
import { goesWithout, noteRefusal, refusesOptions } from '../../../../src/proxy/pipeline/attempts/refused-options.ts'
import { StatusError } from '../../../../src/proxy/pipeline/attempts/status-error.ts'
import { compile, deploymentOf, model, provider } from '../../../domain/routing/samples.ts'

const said = [{ role: 'user', content: 'Hello' }]
const strict = deploymentOf(compile(provider('strict', [model('m')])), 'strict/m')

function refusal(body: JsonObject | string, status = 400, format: FormatName = 'chat-completions'): StatusError {
  const verdict = { kind: 'request', failover: false, retrySame: false, retryAfterMs: undefined } as const
  const told = chatCompletions.parseError(typeof body === 'string' ? {} : body)
  return new StatusError(status, verdict, told, typeof body === 'string' ? body : JSON.stringify(body), format, '')
}

t.test('a refusal of stream_options is known in the words of those who refuse it', async (t) => {
  const request = chatCompletions.parseRequest({ model: 'auto', messages: said, stream: true })
  const azure = { error: { message: 'Unrecognized request argument supplied: stream_options', code: null } }
  const detail = [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }]
  for (const error of [
    refusal({ error_code: 'BAD_REQUEST', message: 'json: unknown field "stream_options"' }),
    refusal(azure),
    refusal({ error: { message: 'Unknown parameter', param: 'stream_options' } }),
    refusal({ detail }, 422),
    refusal({ errors: [{ code: 5006, message: 'must not have stream_options' }] }),
    refusal('Failed to deserialize the JSON body: unknown field `stream_options`, expected one of `model`', 422),
  ])
    t.equal(refusesOptions(error, strict, request), true, error.provider.message ?? '')
  for (const other of [
    refusal({ error: { message: 'Unrecognized request argument supplied: top_k' } }),
    refusal(azure, 500),
    refusal(azure, 400, 'messages'),
    new Error('stream_options'),
  ])
    t.equal(refusesOptions(other, strict, request), false)
})

t.test('what the client itself asked of that very model is not taken away', async (t) => {
  const error = refusal({ error: { message: 'stream_options' } })
  const options = { stream_options: { include_usage: true } }
  const asks = (name: string) => chatCompletions.parseRequest({ model: name, messages: said, stream: true, ...options })
  t.equal(refusesOptions(error, strict, asks('m')), false)
  t.equal(refusesOptions(error, strict, asks('strict/m')), false)
  t.equal(refusesOptions(error, strict, asks('auto')), true)
  const other = messages.parseRequest({ model: 'm', max_tokens: 9, messages: said, stream: true }, {})
  t.equal(refusesOptions(error, strict, other), true)
})

t.test(
  'what a server has refused is learnt for an hour, also by the next configuration, and of that server alone',
  async (t) => {
    const request = chatCompletions.parseRequest({ model: 'auto', messages: said, stream: true })
    const hour = 3_600_000
    t.equal(goesWithout(strict, request, 0), false)
    noteRefusal(strict, request, 5)
    t.equal(goesWithout(strict, request, hour), true)
    const reloaded = deploymentOf(compile(provider('strict', [model('m')])), 'strict/m')
    t.not(reloaded, strict)
    t.equal(goesWithout(reloaded, request, hour), true)
    const { provider: server, model: known } = strict
    const moved = { ...server, endpoint: { ...server.endpoint, baseUrl: 'https://moved.example/v1' } }
    t.equal(goesWithout({ ...strict, provider: moved }, request, hour), false)
    t.equal(goesWithout({ ...strict, model: { ...known, upstreamName: 'm-2' } }, request, hour), false)
    t.equal(goesWithout(strict, request, hour + 5), false, 'it may have been made newer')
  },
)

t.test('however many servers refuse, the memory is bounded', async (t) => {
  const request = chatCompletions.parseRequest({ model: 'auto', messages: said, stream: true })
  const many = Array.from({ length: 1_001 }, (_, index) => ({ ...strict, id: `strict/${index}` }))
  for (const deployment of many) noteRefusal(deployment, request, 0)
  t.equal(many.filter((deployment) => goesWithout(deployment, request, 1)).length, 1_000)
})

t.test('a refusal of options of the client’s own is not learnt, to the harm of all others', async (t) => {
  const server = { ...strict, id: 'strict/of-several-clients' }
  const refused = refusal({ error: { message: "Unknown parameter: 'stream_options.include_all'." } })
  const plain = chatCompletions.parseRequest({ model: 'auto', messages: said, stream: true })
  for (const own of [{ include_all: true }, { include_usage: true, Include_Usage: 1 }]) {
    const request = chatCompletions.parseRequest({ model: 'auto', messages: said, stream: true, stream_options: own })
    t.equal(refusesOptions(refused, server, request), true, 'it is asked once more')
    noteRefusal(server, request, 0)
    t.equal(goesWithout(server, plain, 1), false)
  }
  const asked = { model: 'auto', messages: said, stream: true, stream_options: { include_usage: false } }
  noteRefusal(server, chatCompletions.parseRequest(asked), 0)
  t.equal(goesWithout(server, plain, 1), true, 'of the usage alone it is')
})
