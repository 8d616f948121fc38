import t from 'tap'
import { redisScript, vitalScript } from '../../../../src/crypto/redis-script.ts'
import { ScriptRunner } from '../../../../src/proxy/stores/redis/script-runner.ts'
import type { Send } from '../../../../src/proxy/stores/redis/script-runner.ts'

/** To a script with a header. */
const REDIS_6_ANSWER = "ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'"

/** A server that knows a script once it has run its text; every call takes a turn of the event loop. */
function server({ headers = true } = {}) {
  const known = new Set<string>()
  const calls: string[] = []
  let broken = false
  const run = async ([name = '', script = '']: readonly string[]): Promise<unknown> => {
    calls.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    if (broken) throw new Error('gone')
    if (name === 'EVAL' && !headers && script.startsWith('#!')) throw new Error(REDIS_6_ANSWER)
    if (name === 'EVAL') known.add(redisScript(script).sha)
    else if (!known.has(script)) throw new Error('NOSCRIPT No matching script.')
    return 'ran'
  }
  const send: Send = (command, recover) =>
    run(command).catch((error: unknown) => recover?.(error) ?? Promise.reject(error))
  return { calls, send, forget: () => known.clear(), break: (is: boolean) => (broken = is) }
}

const script = redisScript('return 1')

t.test('a burst on a server that does not know the script sends its text once', async (t) => {
  const { calls, send } = server()
  const runner = new ScriptRunner()
  const burst = await Promise.all(Array.from({ length: 50 }, () => runner.run(script, [], [], send)))
  t.ok(burst.every((reply) => reply === 'ran'))
  t.equal(calls.filter((name) => name === 'EVAL').length, 1)
  t.equal(await runner.run(script, [], [], send), 'ran')
  t.equal(calls.at(-1), 'EVALSHA')
})

t.test('the first call of each script keeps its place among the others', async (t) => {
  const { send } = server()
  const order: string[] = []
  const noting: Send = async (args, recover) => {
    const reply = await send(args, recover)
    order.push(args.at(-1) ?? '')
    return reply
  }
  const runner = new ScriptRunner()
  await runner.run(script, [], ['admit 1'], noting)
  await Promise.all([
    runner.run(redisScript('return 2'), [], ['settle 1'], noting),
    runner.run(script, [], ['admit 2'], noting),
  ])
  t.strictSame(order, ['admit 1', 'settle 1', 'admit 2'])
})

t.test('a server that forgets again is told again', async (t) => {
  const { calls, send, forget } = server()
  const runner = new ScriptRunner()
  for (const round of [1, 2]) {
    forget()
    t.equal(await runner.run(script, [], [], send), 'ran')
    t.equal(calls.filter((name) => name === 'EVAL').length, round)
  }
})

t.test('each caller hears of its own failure, and the next one tries anew', async (t) => {
  const server1 = server()
  const runner = new ScriptRunner()
  const send: Send = (args, recover) => {
    if (args[0] === 'EVAL') server1.break(true)
    return server1.send(args, recover)
  }
  const results = await Promise.allSettled([runner.run(script, [], [], send), runner.run(script, [], [], send)])
  t.match(results, [
    { status: 'rejected', reason: { message: 'gone' } },
    { status: 'rejected', reason: { message: 'gone' } },
  ])
  server1.break(false)
  t.equal(await runner.run(script, [], [], server1.send), 'ran')
})

t.test('a server that knows no headers is given the text without one, and never asked again', async (t) => {
  const { calls, send, forget } = server({ headers: false })
  const runner = new ScriptRunner()
  const vital = vitalScript('return 1')
  const burst = await Promise.all(Array.from({ length: 20 }, () => runner.run(vital, [], [], send)))
  t.ok(burst.every((reply) => reply === 'ran'))
  t.ok(calls.filter((name) => name === 'EVAL').length <= 3, calls.join())
  for (const round of [1, 2]) {
    const before = calls.length
    t.equal(await runner.run(vital, [], [], send), 'ran')
    t.strictSame(calls.slice(before), round === 1 ? ['EVALSHA'] : ['EVALSHA', 'EVAL'])
    forget()
  }
  const before = calls.length
  t.equal(await runner.run(vitalScript('return 2'), [], [], send), 'ran')
  t.strictSame(calls.slice(before), ['EVAL'], 'another script is not tried with a header')
})

t.test('another fault of a script with a header is told as it is', async (t) => {
  const send: Send = async () => {
    throw new Error('ERR user_script:1: boom')
  }
  await t.rejects(new ScriptRunner().run(vitalScript('return 1'), [], [], send), { message: /boom/ })
})
