/**
 * Metrics as Prometheus reads them, in its text format 0.0.4.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */

/** What every line of a metric has in common, and its lines. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** One line a sample, as they stand now. */
  samples(): readonly string[]
}

export interface MetricsPage {
  readonly contentType: string
  readonly text: string
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function renderPage(families: readonly MetricFamily[]): MetricsPage {
  return { contentType: CONTENT_TYPE, text: `${families.map(renderFamily).join('\n\n')}\n` }
}

/** @param labels as `renderLabels` gives them */
export function renderSample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${renderNumber(value)}`
}

/** `provider="openai",model="gpt-4.1"`: names as they come, values escaped. */
export function renderLabels(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escape(values[index] ?? '').replaceAll('"', '\\"')}"`).join(',')
}

function renderFamily(family: MetricFamily): string {
  const { name, help, type } = family
  return [`# HELP ${name} ${escape(help)}`, `# TYPE ${name} ${type}`, ...family.samples()].join('\n')
}

function renderNumber(value: number): string {
  if (Math.abs(value) === Infinity) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
