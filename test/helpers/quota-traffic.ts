/** Traffic on budgets through running gateways. Tokens cost a micro-dollar; every whole answer costs 300. */
import type { Test } from 'tap'
import { planOf, plannedScope, type QuotaPlan } from '../../src/domain/quota/limits.ts'
import { connectRedis } from '../../src/proxy/stores/redis/redis-client.ts'
import { RedisQuotaStore } from '../../src/proxy/stores/redis/redis-quota-store.ts'
import { chatCompletion, chatStream } from './answers.ts'
import { ok } from './behaviours.ts'
import type { Gateway } from './gateway.ts'
import { limits, type TestLimits } from './quota.ts'
import { until, type RedisServer } from './redis.ts'

export const PRICED = ['{ name: m, maxOutputTokens: 1000, pricing: { input: "1", output: "1" } }']
export const COST = 300
const TOKENS = { inputTokens: 100, outputTokens: 200 }
export const WHOLE = ok(chatCompletion('x', TOKENS))
export const STREAMED = chatStream(['one ', 'two ', 'three ', 'four'], TOKENS)
/** Longer than any bound that a request has here; one that takes so long hangs. */
const HANGS_MS = 30_000

export function keyText(name: string): string {
  return `${name}-0123456789abcdef0123456789abcdef`
}

export function organization(name: string, spec = ''): string {
  return `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: ${name} }
spec:
  grants: [{ name: all, namespaceSelector: {}, privileges: [asyncBilling] }]
${spec}
`
}

/** Sends one chat completion and reads it to its end; tells how it ended. */
export async function send(
  gateway: Gateway,
  key: string,
  body: object = {},
  options: { readonly headers?: Record<string, string>; readonly leaveAfterMs?: number } = {},
): Promise<string> {
  const leave = AbortSignal.timeout(options.leaveAfterMs ?? HANGS_MS)
  try {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leave,
      headers: {
        authorization: `Bearer ${keyText(key)}`,
        'content-type': 'application/json',
        'cache-control': 'no-store',
        ...options.headers,
      },
      body: JSON.stringify({
        model: 'm',
        max_tokens: 250,
        messages: [{ role: 'user', content: 'x'.repeat(100) }],
        ...body,
      }),
    })
    const text = await response.text()
    if (response.ok) return text.startsWith('{') || text.includes('[DONE]') ? 'ok' : 'cut'
    return `${response.status} ${String((JSON.parse(text) as { error: { code: string } }).error.code)}`
  } catch {
    if (!leave.aborted) return 'broken'
    return options.leaveAfterMs === undefined ? 'HANGS' : 'left'
  }
}

export interface Usage {
  readonly limits: readonly { scope: string; window: string; spent: string; reserved: string; remaining: string }[]
  readonly rate_limits: readonly { scope: string; concurrent: { open: number } | null }[]
}

/** Asked again while the gateway has no Redis: where the machine is too busy for Redis to answer in time, an outage begins. */
export async function usageOf(gateway: Gateway, key: string): Promise<Usage> {
  const ask = () => fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${keyText(key)}` } })
  let response = await ask()
  await until(async () => response.status !== 503 || (response = await ask()).status !== 503)
  if (!response.ok) throw new Error(`usage: ${response.status} ${await response.text()}`)
  return (await response.json()) as Usage
}

export async function metric(gateway: Gateway, name: string): Promise<number> {
  const page = await (await fetch(`${gateway.admin}/metrics`)).text()
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.+)$`, 'm').exec(page)?.[1])
}

/** The store as it will be when every lease of now has ended. */
export async function aMinuteLater(t: Test, redis: RedisServer) {
  const connection = connectRedis(redis.url, { callTimeoutMs: 20_000 })
  t.teardown(() => connection.close())
  await connection.waitUntilReady(20_000)
  return new RedisQuotaStore(connection, { now: () => Date.now() + 61_000 })
}

export function planOfKey(name: string, given: TestLimits): QuotaPlan {
  return planOf('default', [plannedScope('key', `key/default/${name}`, limits(given))])
}

export function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
