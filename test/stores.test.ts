/** What the log tells of Redis. */
import t from 'tap'
import { auditRefusals, redisChanges } from '../src/stores.ts'
import { createTestClock } from './helpers/clock.ts'

t.test('the log tells of a Redis that comes and goes, and of one that stays away once a minute', (t) => {
  const clock = createTestClock()
  const told: string[] = []
  const log = {
    debug() {},
    info: (_fields: object, message: string) => void told.push(message),
    warn: (fields: object, message: string) => void told.push(`${message}: ${'reason' in fields ? fields.reason : ''}`),
    error() {},
  }
  const change = redisChanges(log, clock.now)
  const said = () => told.splice(0)

  change(true, undefined)
  change(false, new Error('closed'))
  for (let second = 0; second < 59; second++) {
    clock.advance(1_000)
    change(false, new Error('refused'))
  }
  t.same(said(), ['redis connected', 'redis lost: closed', 'redis not reached: refused'])
  for (let second = 0; second < 60; second++) {
    clock.advance(1_000)
    change(false, new Error('refused'))
  }
  t.same(said(), ['redis not reached: refused'], 'the same again after a minute')
  change(true, undefined)
  t.same(said(), ['redis connected'])

  for (let time = 0; time < 50; time++) {
    clock.advance(1_000)
    change(false, new Error('READONLY'))
    change(true, undefined)
  }
  t.same(said(), ['redis lost: READONLY', 'redis connected'], 'a replica, which lets itself be connected')

  change(false, new Error('closed'))
  for (let second = 0; second < 30; second++) {
    clock.advance(1_000)
    change(false, new Error(`refused by ${second % 2}`))
  }
  t.same(said(), ['redis lost: closed', 'redis not reached: refused by 0', 'redis not reached: refused by 1'])
  change(true, undefined)
  change(false, new Error('closed'))
  t.same(said(), ['redis connected', 'redis lost: closed'], 'another loss is told')
  t.end()
})

t.test('that Redis takes no audit records is told once in ten minutes, in its own words', async (t) => {
  const clock = createTestClock()
  const told: unknown[] = []
  const ignore = () => undefined
  const warn = (fields: object, message: string) => void told.push({ ...fields, message })
  const refused = auditRefusals({ debug: ignore, info: ignore, error: ignore, warn }, clock.now)
  const line = { organization: 'acme', reason: 'OOM no memory', message: 'audit records refused by redis' }
  refused('acme', 'OOM no memory')
  clock.advance(599_999)
  refused('other', 'OOM no memory')
  t.strictSame(told, [line])
  clock.advance(1)
  refused('acme', 'OOM no memory')
  t.strictSame(told, [line, line])
})
