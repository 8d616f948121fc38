import t from 'tap'
import { chatCompletions } from '../../../../src/domain/formats/chat-completions/chat-completions.ts'
import { judge } from '../../../../src/proxy/pipeline/attempts/attempt-failure.ts'
import { statusErrorOf } from '../../../../src/proxy/pipeline/attempts/status-error.ts'
import { compile, deploymentOf, model, provider } from '../../../domain/routing/samples.ts'

t.test(
  "the client is told why its request is refused where the error stands in an array, as at Google's address for OpenAI's API",
  async (t) => {
    const deployment = deploymentOf(compile(provider('one', [model('m')])), 'one/m')
    const body = (async function* () {
      yield new TextEncoder().encode('[{"error":{"code":400,"message":"n is 8 at most","status":"INVALID_ARGUMENT"}}]')
    })()
    const reply = { status: 400, headers: {}, body, firstContentSeen: () => undefined }
    const error = await statusErrorOf(reply, deployment, chatCompletions, undefined, 0)
    t.match(judge(error, 'chat-completions'), { error: { message: 'n is 8 at most', status: 400 } })
  },
)
