/** The Grafana dashboards of the chart, from a list of what each panel asks. */

type Unit = 'short' | 'reqps' | 's' | 'currencyUSD' | 'percentunit' | 'bytes' | 'Bps'

interface Panel {
  readonly title: string
  readonly unit: Unit
  /** Expression and legend. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
}

interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
}

interface Dashboard {
  /** Of the file, and Grafana's name for good: links to it survive an upgrade. */
  readonly uid: string
  readonly title: string
  readonly rows: readonly Row[]
}

const NAMESPACE = 'namespace=~"$namespace"'
const RATE = '[$__rate_interval]'

/** Files by name. */
export function renderDashboards(): Readonly<Record<string, string>> {
  return Object.fromEntries(DASHBOARDS.map((one) => [`${one.uid}.json`, `${JSON.stringify(render(one), null, 1)}\n`]))
}

function panel(title: string, unit: Unit, ...queries: Panel['queries']): Panel {
  return { title, unit, queries }
}

/** Of sidecars in the chosen namespaces, each second, by labels. */
function perSecond(metric: string, labels: string, matchers = ''): string {
  return `sum by (${labels}) (rate(${metric}{${NAMESPACE}${matchers === '' ? '' : `, ${matchers}`}}${RATE}))`
}

function quantile(share: number, metric: string, labels = ''): string {
  const by = labels === '' ? 'le' : `le, ${labels}`
  return `histogram_quantile(${share}, sum by (${by}) (rate(${metric}_bucket{${NAMESPACE}}${RATE})))`
}

const PROVIDER = 'gen_ai_provider_name'

const GATEWAY: Dashboard = {
  uid: 'tollgate',
  title: 'Tollgate',
  rows: [
    {
      title: 'Requests',
      panels: [
        panel('Requests by outcome', 'reqps', [perSecond('tollgate_requests_total', 'outcome'), '{{outcome}}']),
        panel('Requests by adapter', 'reqps', [perSecond('tollgate_requests_total', 'adapter'), '{{adapter}}']),
        panel('Requests by provider and model', 'reqps', [
          perSecond('tollgate_requests_total', 'provider, model'),
          '{{provider}}/{{model}}',
        ]),
        panel(
          'Duration of whole requests',
          's',
          [quantile(0.5, 'gen_ai_server_request_duration_seconds'), 'p50'],
          [quantile(0.95, 'gen_ai_server_request_duration_seconds'), 'p95'],
        ),
        panel('Time to first token, p95', 's', [
          quantile(0.95, 'gen_ai_server_time_to_first_token_seconds', PROVIDER),
          `{{${PROVIDER}}}`,
        ]),
        panel(
          'Time in Tollgate itself',
          's',
          [quantile(0.5, 'tollgate_overhead_seconds'), 'p50'],
          [quantile(0.99, 'tollgate_overhead_seconds'), 'p99'],
        ),
        panel('Tokens a second', 'short', [
          perSecond('gen_ai_client_token_usage_sum', 'gen_ai_token_type'),
          '{{gen_ai_token_type}}',
        ]),
        panel('Fields lost in translation', 'reqps', [
          perSecond('tollgate_translation_warnings_total', 'adapter, provider'),
          '{{adapter}} to {{provider}}',
        ]),
      ],
    },
    {
      title: 'Cost',
      panels: [
        panel('Dollars an hour by organization', 'currencyUSD', [
          `3600 * ${perSecond('tollgate_cost_usd_total', 'organization')}`,
          '{{organization}}',
        ]),
        panel('Dollars an hour by project', 'currencyUSD', [
          `3600 * ${perSecond('tollgate_cost_usd_total', 'organization, project')}`,
          '{{organization}}/{{project}}',
        ]),
        panel('Dollars in the chosen time', 'currencyUSD', [
          `sum by (organization, project) (increase(tollgate_cost_usd_total{${NAMESPACE}}[$__range]))`,
          '{{organization}}/{{project}}',
        ]),
      ],
    },
    {
      title: 'Routing decisions',
      panels: [
        panel('Decisions by provider and model', 'reqps', [
          perSecond('tollgate_routing_decisions_total', 'provider, model'),
          '{{provider}}/{{model}}',
        ]),
        panel('Decisions by method', 'reqps', [perSecond('tollgate_routing_decisions_total', 'method'), '{{method}}']),
        panel('Removed candidates by rule', 'reqps', [
          perSecond('tollgate_candidates_removed_total', 'rule'),
          '{{rule}}',
        ]),
      ],
    },
    {
      title: 'Fallbacks',
      panels: [
        panel('From one provider to another', 'reqps', [
          perSecond('tollgate_fallbacks_total', 'from, to'),
          '{{from}} to {{to}}',
        ]),
        panel('By reason', 'reqps', [perSecond('tollgate_fallbacks_total', 'from, reason'), '{{from}}: {{reason}}']),
        panel('Share of requests that needed one', 'percentunit', [
          `sum(rate(tollgate_routing_decisions_total{${NAMESPACE}, reason="failover"}${RATE})) / sum(rate(tollgate_routing_decisions_total{${NAMESPACE}}${RATE}))`,
          'failover',
        ]),
        panel('Sidecars that do not ask a provider', 'short', [
          `sum by (provider) (tollgate_provider_down{${NAMESPACE}})`,
          '{{provider}}',
        ]),
      ],
    },
    {
      title: 'Cache',
      panels: [
        panel('Results', 'reqps', [perSecond('tollgate_cache_requests_total', 'result'), '{{result}}']),
        panel('Share of hits', 'percentunit', [
          `sum(rate(tollgate_cache_requests_total{${NAMESPACE}, result=~"hit-.*"}${RATE})) / sum(rate(tollgate_cache_requests_total{${NAMESPACE}}${RATE}))`,
          'hits',
        ]),
        panel('Looks by meaning', 'reqps', [perSecond('tollgate_semantic_looks_total', 'result'), '{{result}}']),
      ],
    },
    {
      title: 'Masking and guardrails',
      panels: [
        panel('Masked values by kind', 'short', [perSecond('tollgate_masked_values_total', 'kind'), '{{kind}}']),
        panel('Refused by guardrail', 'reqps', [perSecond('tollgate_blocked_total', 'guardrail'), '{{guardrail}}']),
        panel('Text that guardrails saw', 'Bps', [
          perSecond('tollgate_guardrail_bytes_total', 'guardrail, scope'),
          '{{guardrail}} {{scope}}',
        ]),
      ],
    },
    {
      title: 'Quotas',
      panels: [
        panel('Refused by a limit', 'reqps', [
          perSecond('tollgate_quota_refusals_total', 'scope, window'),
          '{{scope}} {{window}}',
        ]),
        panel('Passed near or over a limit', 'reqps', [
          perSecond('tollgate_quota_warnings_total', 'scope, window, type'),
          '{{scope}} {{window}} {{type}}',
        ]),
        panel('Waiting to be settled', 'short', [
          `sum by (namespace) (tollgate_pending_settlements{${NAMESPACE}})`,
          '{{namespace}}',
        ]),
        panel(
          'Store unreachable, settlements dropped',
          'short',
          [`sum by (namespace) (tollgate_quota_store_unavailable{${NAMESPACE}})`, '{{namespace}} unreachable'],
          [perSecond('tollgate_settlements_dropped_total', 'namespace'), '{{namespace}} dropped'],
        ),
        panel('Age of the oldest unsettled request', 's', [
          `max by (namespace) (tollgate_settlement_lag_seconds{${NAMESPACE}})`,
          '{{namespace}}',
        ]),
      ],
    },
    {
      title: 'Sidecar health',
      panels: [
        panel('Sidecars', 'short', [
          `count by (namespace) (tollgate_configuration_timestamp_seconds{${NAMESPACE}})`,
          '{{namespace}}',
        ]),
        panel('Configuration not confirmed for', 's', [
          `max by (namespace) (tollgate_config_stale_seconds{${NAMESPACE}})`,
          '{{namespace}}',
        ]),
        panel('Configurations refused', 'reqps', [
          perSecond('tollgate_configuration_loads_total', 'namespace', 'result="refused"'),
          '{{namespace}}',
        ]),
        panel(
          'Audit records waiting and dropped',
          'short',
          [`sum by (namespace) (tollgate_audit_pending_records{${NAMESPACE}})`, '{{namespace}} waiting'],
          [perSecond('tollgate_audit_dropped_total', 'namespace'), '{{namespace}} dropped'],
        ),
        panel('Memory, largest sidecar (of the kubelet)', 'bytes', [
          `max by (namespace) (container_memory_working_set_bytes{${NAMESPACE}, container="tollgate"})`,
          '{{namespace}}',
        ]),
      ],
    },
  ],
}

const OPERATOR: Dashboard = {
  uid: 'tollgate-operator',
  title: 'Tollgate operator',
  rows: [
    {
      title: 'Publishing',
      panels: [
        panel('Leaders', 'short', ['sum(tollgate_leader)', 'leaders']),
        panel(
          'Virtual keys, shards',
          'short',
          ['max(tollgate_virtual_keys)', 'keys'],
          ['max(tollgate_published_shards)', 'shards'],
        ),
        panel('Keys, projects and organizations with a spent budget', 'short', [
          'max(tollgate_exhausted_quotas)',
          'exhausted',
        ]),
        panel('Unhealthy providers', 'short', ['max(tollgate_unhealthy_providers)', 'unhealthy']),
        panel('Queues', 'short', ['max by (queue) (tollgate_queue_depth)', '{{queue}}']),
        panel('Failed reconciles', 'reqps', [
          `sum by (work) (rate(tollgate_reconcile_errors_total${RATE}))`,
          '{{work}}',
        ]),
        panel(
          'Writes',
          'reqps',
          [`sum(rate(tollgate_status_writes_total${RATE}))`, 'statuses'],
          [`sum(rate(tollgate_usage_writes_total${RATE}))`, 'usages'],
          [`sum(rate(tollgate_drift_repairs_total${RATE}))`, 'repairs in Redis'],
        ),
      ],
    },
    {
      title: 'Sidecars',
      panels: [
        panel('Authentications', 'reqps', [
          `sum by (result) (rate(tollgate_sidecar_authentications_total${RATE}))`,
          '{{result}}',
        ]),
        panel('Injections', 'reqps', [`sum by (result) (rate(tollgate_injections_total${RATE}))`, '{{result}}']),
        panel('Pods without a sidecar', 'short', ['max by (namespace) (tollgate_uninjected_pods)', '{{namespace}}']),
        panel('Sidecars with former settings', 'short', ['max(tollgate_stale_sidecars)', 'stale']),
        panel('Certificates end in', 's', [
          'min by (certificate) (tollgate_certificate_expiry_seconds)',
          '{{certificate}}',
        ]),
      ],
    },
    {
      title: 'Process',
      panels: [
        panel('Memory', 'bytes', ['process_resident_memory_bytes and on (instance) tollgate_leader', '{{pod}}']),
        panel('Event loop lag, p99', 's', [
          'nodejs_eventloop_lag_p99_seconds and on (instance) tollgate_leader',
          '{{pod}}',
        ]),
      ],
    },
  ],
}

const DASHBOARDS = [GATEWAY, OPERATOR]

const COLUMNS = 3
const WIDTH = 24 / COLUMNS
const HEIGHT = 8
const SOURCE = { type: 'prometheus', uid: '${datasource}' }

function render({ uid, title, rows }: Dashboard): object {
  return {
    uid,
    title,
    tags: ['tollgate'],
    editable: true,
    schemaVersion: 39,
    version: 1,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: uid === 'tollgate' ? [DATASOURCE, NAMESPACES] : [DATASOURCE] },
    panels: renderRows(rows),
  }
}

const DATASOURCE = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }
const NAMESPACES = {
  name: 'namespace',
  label: 'Namespace',
  type: 'query',
  datasource: SOURCE,
  query: { query: 'label_values(tollgate_configuration_timestamp_seconds, namespace)', refId: 'A' },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
}

function renderRows(rows: readonly Row[]): object[] {
  const rendered: object[] = []
  let id = 0
  let y = 0
  for (const { title, panels } of rows) {
    rendered.push({ id: ++id, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] })
    y += 1
    for (const [index, one] of panels.entries()) {
      const gridPos = { x: (index % COLUMNS) * WIDTH, y: y + Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT }
      rendered.push(renderPanel(one, ++id, gridPos))
    }
    y += Math.ceil(panels.length / COLUMNS) * HEIGHT
  }
  return rendered
}

function renderPanel({ title, unit, queries }: Panel, id: number, gridPos: object): object {
  return {
    id,
    type: 'timeseries',
    title,
    datasource: SOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] } },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  }
}
