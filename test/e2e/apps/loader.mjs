// Asks an application without a pause and counts what comes back.
//   GET /start?url=URL&clients=N&pieces=N    begins anew
//   GET /stop                                 waits for what is under way; answers {asked, good, failures: {message: count}}
import { createServer } from 'node:http'

let run

createServer(async (request, response) => {
  const url = new URL(request.url, 'http://loader')
  const value = (name) => url.searchParams.get(name)
  if (url.pathname === '/start') run = start(value('url'), Number(value('clients')), Number(value('pieces')))
  if (url.pathname === '/stop') {
    run.going = false
    await Promise.all(run.clients)
  }
  response.end(JSON.stringify(run?.counts ?? {}))
}).listen(8080)
process.on('SIGTERM', () => process.exit())

function start(url, clients, pieces) {
  const run = { going: true, counts: { asked: 0, good: 0, failures: {} } }
  run.clients = Array.from({ length: clients }, async (_, client) => {
    for (let call = 0; run.going; call++) {
      run.counts.asked += 1
      const failure = await ask(url, `client ${client} call ${call}: ${pieces} pieces`, pieces)
      if (failure === undefined) run.counts.good += 1
      else run.counts.failures[failure] = (run.counts.failures[failure] ?? 0) + 1
    }
  })
  return run
}

/** Why it failed; undefined: every piece came. */
async function ask(url, prompt, pieces) {
  try {
    const asked = { sdk: 'openai', stream: true, prompt }
    const headers = { 'content-type': 'application/json', connection: 'close' }
    const response = await fetch(`${url}/ask`, { method: 'POST', headers, body: JSON.stringify(asked) })
    const last = JSON.parse((await response.text()).trim().split('\n').at(-1))
    if (last.error) return `${last.error.status} ${last.error.code} ${last.error.message}`.slice(0, 300)
    return last.done && last.text.trim().split(/\s+/).length === pieces
      ? undefined
      : `cut short: ${JSON.stringify(last).slice(0, 200)}`
  } catch (error) {
    return `${error.message} ${error.cause?.code ?? error.cause?.message ?? ''}`
  }
}
