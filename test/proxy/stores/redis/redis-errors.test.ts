import { inspect } from 'node:util'
import t from 'tap'
import {
  callError,
  isUnknownScript,
  isWrongServer,
  refusalOf,
  RedisUnavailableError,
} from '../../../../src/proxy/stores/redis/redis-errors.ts'

const inScript = (reply: string) =>
  new Error(`ERR Error running script (call to f_0a9a51ee): @user_script:41: @user_script: 41: ${reply}`)

t.test('a reply tells whether the server can serve, to a script of Redis 6 as well', async (t) => {
  const full = "OOM command not allowed when used memory > 'maxmemory'."
  for (const error of [new Error(full), inScript(`-${full}`)]) {
    t.match(callError(error), { name: 'RedisUnavailableError', maybeExecuted: false, cause: error })
    t.match(callError(error), { message: `Redis refuses: ${error.message}` }, 'in the words of the server')
    t.notOk(isWrongServer(error))
  }
  for (const error of [new Error('READONLY no.'), inScript("-READONLY You can't write against a read only replica.")]) {
    t.ok(isWrongServer(error))
    t.match(callError(error), { name: 'RedisUnavailableError', maybeExecuted: false })
  }
})

t.test(
  'a right that a script lacks is refused like one that a command lacks, whatever the server calls it',
  async (t) => {
    const user = 'user u has no permissions'
    for (const error of [
      new Error(`NOPERM ${user} to run the 'xadd' command`),
      new Error(
        "ERR The user executing the script can't run this command or subcommand script: 9a, on @user_script:3.",
      ),
      new Error("ERR The user executing the script can't access at least one of the keys mentioned in the command"),
      new Error("ERR The user executing the script can't publish to the channel mentioned in the command script: 9a"),
      new Error('ERR The user executing the script lacking the permissions for the command script: 9a'),
      inScript('The user executing the script is lacking the permissions for the command'),
      new Error(`ERR ACL failure in script: ${user} to run the 'xadd' command script: 9a, on @user_script:3.`),
      new Error(`ERR NOPERM ${user} to run the 'xadd' command`),
      inScript("The user executing the script can't run this command or subcommand"),
      inScript(`-NOPERM ${user}`),
    ]) {
      t.match(callError(error), { name: 'RedisUnavailableError', maybeExecuted: false, cause: error }, error.message)
      t.equal(refusalOf(callError(error)), error.message)
    }
  },
)

t.test('a reply about the command itself stays as it is', async (t) => {
  const wrongType = 'WRONGTYPE Operation against a key holding the wrong kind of value'
  for (const error of [
    new Error(wrongType),
    inScript(wrongType),
    new Error('ERR unknown command'),
    inScript('a nil -X'),
  ]) {
    t.equal(callError(error), error)
  }
  t.ok(isUnknownScript(new Error('NOSCRIPT No matching script.')))
})

t.test('what was sent is not repeated, in message or stack', async (t) => {
  const error = new Error("ERR unknown command 'X', with args beginning with: '3' 'AUTH' 'user' 'a\npass-$&-word' ")
  t.equal(callError(error), error)
  t.match(error, { message: "ERR unknown command 'X'", stack: /^Error: ERR unknown command 'X'\n/ })
  t.notMatch(inspect(error), 'pass-')
})

t.test('what is no reply is a broken connection, and may have been executed', async (t) => {
  t.match(callError(new Error('Socket closed unexpectedly')), { maybeExecuted: true })
  const own = new RedisUnavailableError('not connected', false)
  t.equal(callError(own), own)
})
