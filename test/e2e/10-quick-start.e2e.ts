/** The README's quick start, its commands as they stand there, is also the installation that every other scenario uses. */
import t from 'tap'
import { eventually, kubectl, list } from './support/kubectl.ts'
import { SYSTEM } from './support/platform.ts'
import { commandBlocks, runBlock } from './support/readme.ts'
import { report } from './support/report.ts'

/** Those that are tried elsewhere: the image is built before, without Docker; the end comes at the end. */
const ELSEWHERE = /^docker build|^helm uninstall/m

t.test('every command of the README works', async (t) => {
  const blocks = commandBlocks()
  t.equal(blocks.filter((block) => ELSEWHERE.test(block)).length, 2)
  // Each may use variables of those before.
  const variables = blocks.flatMap((block) => block.match(/^export .*$/gm) ?? []).join('\n')
  const begun = Date.now()
  for (const block of blocks) {
    if (!ELSEWHERE.test(block)) t.comment(await runBlock(`${variables}\n${block}`))
  }
  report(`quick start: ${((Date.now() - begun) / 1_000).toFixed(0)} s`)
})

t.test('the application is answered, and its trace shows a failover', async (t) => {
  const log = await eventually('a failover in the log', async () => {
    const text = await kubectl(['-n', 'shop', 'logs', 'deployment/assistant', '-c', 'assistant'])
    return /result=error.*result=ok/.test(text) ? text : undefined
  })
  t.match(log, /demo-provider demo-a here\. You said: Question \d+: who is ada@example\.com\?/)
  t.match(log, /demo-a\/demo-small;result=ok/)
  t.match(log, /demo-a\/demo-small;result=error;status=500;ms=\d+, demo-b\/demo-large;result=ok/)
})

t.test('nothing of the installation restarts', async (t) => {
  for (const pod of await list('pods', SYSTEM)) {
    for (const status of pod.list('status', 'containerStatuses')) {
      t.equal(status.at('restartCount'), 0, pod.text('metadata', 'name'))
    }
  }
})
