/** DESIGN sections 8 and 10 through the running gateway: what a key is told of its limits, and what the audit sums up. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import t from 'tap'
import { chatCompletion } from '../helpers/answers.ts'
import { ok } from '../helpers/behaviours.ts'
import { DAY_MS, farFromEdge, HOUR_MS } from '../helpers/clock.ts'
import { startFakeProvider } from '../helpers/fake-provider.ts'
import { KEY, provider, startGateway, virtualKey, yaml } from '../helpers/gateway.ts'
import { COST, metric, PRICED, WHOLE } from '../helpers/quota-traffic.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

const ORGANIZATION = `apiVersion: tollgate.dev/v1alpha1
kind: Organization
metadata: { name: default }
spec:
  grants: [{ name: all, namespaceSelector: {} }]
  budgets: [{ window: Month, limitUSD: "5" }]
  projects:
  - name: search
    budgets: [{ window: Week, limitUSD: "2", reset: Rolling }]
`

t.test('usage tells every limit of key, project and organization', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(WHOLE)
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        ORGANIZATION,
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({
          spec: `  project: search
  budgets: [{ window: Day, limitUSD: "1" }, { window: Total, limitUSD: "3" }]
  tokenQuotas: [{ window: Hour, kind: Output, limit: 1000 }]
  rateLimits: { requestsPerMinute: 60, maxConcurrent: 4 }`,
        }),
      ),
    },
  })
  await farFromEdge(HOUR_MS, 10_000)
  for (let call = 0; call < 2; call++) t.equal((await gateway.chat({ max_tokens: 250 })).status, 200)
  for (const path of ['/v1/usage', '/adapters/openai/v1/usage']) {
    const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${KEY}` } })
    t.equal(response.status, 200)
    const report = (await response.json()) as { limits: Record<string, unknown>[]; at: string }
    const spent = { unit: 'usd', spent: '0.000600', reserved: '0.000000' }
    t.match(report, {
      virtual_key: 'default/test',
      limits: [
        { scope: 'key', window: 'Day', limit: '1.000000', remaining: '0.999400', ...spent },
        { scope: 'key', window: 'Total', limit: '3.000000', remaining: '2.999400', resets_at: null, ...spent },
        { scope: 'key', window: 'Hour', unit: 'output_tokens', limit: 1000, spent: 400, remaining: 600 },
        { scope: 'project', window: 'Week', reset: 'Rolling', limit: '2.000000', ...spent },
        { scope: 'organization', window: 'Month', limit: '5.000000', ...spent },
      ],
      rate_limits: [
        {
          scope: 'key',
          requests_per_minute: { limit: 60 },
          tokens_per_minute: null,
          concurrent: { limit: 4, open: 0 },
        },
        {},
        {},
      ],
    })
    const day = new Date(report.at)
    day.setUTCHours(24, 0, 0, 0)
    t.equal(report.limits[0]?.['resets_at'], day.toISOString())
  }
  const traced = await fetch(`${gateway.url}/v1/usage`, {
    headers: { authorization: `Bearer ${KEY}`, 'x-llm-trace': 'true' },
  })
  t.equal(traced.headers.get('x-gateway-request-id'), traced.headers.get('x-request-id'))
  t.ok(traced.headers.has('x-gateway-routing-decision'))
  const stranger = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: 'Bearer somebody' } })
  t.equal(stranger.status, 401)
})

t.test('the same call passes after retry-after, and not a second before', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(WHOLE)
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ spec: '  rateLimits: { requestsPerMinute: 12, burst: 1 }' }),
      ),
    },
  })
  t.equal((await gateway.chat()).status, 200)
  const asked = performance.now()
  const refused = await gateway.chat()
  t.equal(refused.status, 429)
  const seconds = Number(refused.headers.get('retry-after'))
  t.equal(refused.headers.get('x-ratelimit-reset-requests'), `${seconds}s`)
  t.equal(refused.headers.get('x-ratelimit-remaining-requests'), '0')
  const passed = async () => (await gateway.chat()).status === 200
  if (seconds > 1) {
    await sleep((seconds - 1) * 1_000 - (performance.now() - asked) - 200)
    if (performance.now() - asked < (seconds - 1) * 1_000 - 50) t.notOk(await passed(), 'a second too early')
  }
  // Told in whole seconds, rounded up, from when the refusal came.
  await sleep(Math.max(0, seconds * 1_000 + 50 - (performance.now() - asked)))
  t.ok(await passed())
})

t.test('a limit that only warns is told in audit, log and metrics', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(WHOLE)
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(
        provider({ name: 'p', url: upstream.url, models: PRICED }),
        virtualKey({ spec: '  budgets: [{ window: Day, limitUSD: "0.0005", warnAtPercent: 50, onExceed: Warn }]' }),
      ),
    },
  })
  await farFromEdge(DAY_MS, 10_000)
  for (let call = 0; call < 4; call++) t.equal((await gateway.chat()).status, 200)
  await gateway.line((line) => line['type'] === 'audit' && JSON.stringify(line['quotaWarnings'] ?? []).includes('900'))
  const warnings = gateway.lines.filter((line) => line['type'] === 'audit').map((line) => line['quotaWarnings'])
  const warning = { scope: 'key', window: 'Day', unit: 'cost', limit: 500 }
  t.match(warnings, [
    undefined,
    [{ ...warning, type: 'near', spent: 300 }],
    [{ ...warning, type: 'exceeded', spent: 600 }],
    [{ ...warning, type: 'exceeded', spent: 900 }],
  ])
  const logged = gateway.lines.filter((line) => String(line['msg']).startsWith('quota '))
  t.match(logged, [{ msg: 'quota nearly used up' }, { msg: 'quota used up', virtualKey: 'default/test' }])
  t.equal(logged.length, 2, 'not again for every request')
  gateway.write('another.yaml', yaml(provider({ name: 'another', url: upstream.url, models: ['{ name: other }'] })))
  await gateway.line(({ msg, providers }) => msg === 'configuration in force' && providers === 2)
  t.equal((await gateway.chat()).status, 200)
  await gateway.line((line) => JSON.stringify(line['quotaWarnings'] ?? []).includes('1200'))
  t.equal(gateway.lines.filter(({ msg }) => msg === 'quota used up').length, 1, 'nor after a reload')
  t.equal(await metric(gateway, 'tollgate_quota_warnings_total'), 1)
})

t.test('the tool sums up what a gateway without Redis has printed', async (t) => {
  const upstream = await startFakeProvider()
  t.teardown(() => upstream.close())
  upstream.otherwise(WHOLE)
  const gateway = await startGateway(t, {
    manifests: {
      'all.yaml': yaml(provider({ name: 'p', url: upstream.url, models: [...PRICED, '{ name: free }'] }), virtualKey()),
    },
  })
  const ask = (team: string, more: object = {}) => gateway.chat(more, { 'x-llm-tags': `team=${team}` })
  for (const team of ['blue', 'red', 'blue']) t.equal((await ask(team)).status, 200)
  upstream.otherwise(ok({ ...chatCompletion('y'), usage: { prompt_tokens: 1, completion_tokens: 1 } }))
  t.equal((await ask('red', { model: 'free' })).status, 200)
  await gateway.line((line) => line['type'] === 'audit' && JSON.stringify(line['model']).includes('"served":"free"'))
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-audit-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'log'), gateway.output())
  const audit = async (...args: string[]) => {
    const all = [MAIN, 'audit', '--file', join(folder, 'log'), ...args]
    return (await promisify(execFile)(process.execPath, all)).stdout
  }
  t.match(JSON.parse(await audit('--sum-by', 'tag:team', '--format', 'json')), {
    groups: [
      { 'tag:team': 'blue', requests: 2, input_tokens: 200, output_tokens: 400, cost_usd: '0.000600', unpriced: 0 },
      { 'tag:team': 'red', requests: 2, cost_usd: '0.000300', unpriced: 1 },
    ],
    total: { requests: 4, cost_usd: `0.000${3 * COST}` },
  })
  t.match(
    await audit('--tag', 'team=red', '--sum-by', 'model'),
    /^model +requests[^]*\nm +1 [^]*\nfree +1 [^]*\ntotal +2 /,
  )
  t.equal((await audit('--project', 'nobody', '--format', 'csv')).trim(), '')
  await t.rejects(promisify(execFile)(process.execPath, [MAIN, 'audit', '--file', join(folder, 'absent')]), { code: 1 })
})
