/** What `standalone --demo` prints when it listens: the keys that it has made, and a call that can be pasted. */
import { basePolicy } from './domain/policy/resolve-policy.ts'
import type { StandaloneConfiguration, UsableKey } from './standalone-configuration.ts'

/** Keys; more would hide what comes after them. */
const MOST_SHOWN = 10

/** @param isDemo whether demo providers answer */
export function greeting(url: string, configuration: StandaloneConfiguration, isDemo: boolean): string {
  const keys = configuration.usableGeneratedKeys()
  if (keys.length === 0) return `\nTollgate listens on ${url}\n${withoutShownKey(configuration)}\n\n`
  const lines = keys.slice(0, MOST_SHOWN).map(({ id, text }) => `Virtual key (${id}): ${text.reveal()}\n`)
  const more = keys.length > MOST_SHOWN ? `and ${keys.length - MOST_SHOWN} more\n` : ''
  const shown = lines.join('') + more
  const demo = isDemo
    ? '\nNo provider of the manifests is in use: two demo providers answer (no model behind them; one fails every third call).\n'
    : ''
  return `\nTollgate listens on ${url}\n${shown}${demo}\n${callOf(callable(url), keys.find(mayCall))}\n`
}

function withoutShownKey(configuration: StandaloneConfiguration): string {
  return configuration.hasKey()
    ? 'Its virtual keys are the texts of your own Secrets.'
    : 'No virtual key is in force: every call is a 401. The lines of the log before this say why.'
}

/** Whether the call that is shown is one for this key. */
function mayCall({ key: { access } }: UsableKey): boolean {
  return access.allowAuto && (access.adapters.length === 0 || access.adapters.includes('Native'))
}

function callOf(url: string, key: UsableKey | undefined): string {
  if (key === undefined)
    return 'None of these keys may call /v1 with the model auto: see spec.access in its manifest.\n'
  const headers = headersOf(key).map((header) => `-H ${quoted(header)} \\\n    `)
  const body = '{"model": "auto", "messages": [{"role": "user", "content": "Hello"}]}'
  return `Try it:\n\n  curl -i ${url}/v1/chat/completions \\\n    ${headers.join('')}-d ${quoted(body)}\n`
}

/** What the key's call needs, and of what shows more what it may send. */
function headersOf(key: UsableKey): string[] {
  const { privileges, policy, requiredTags } = basePolicy(key)
  const missing = requiredTags.filter((tag) => !Object.hasOwn(policy.tags, tag))
  return [
    `Authorization: Bearer ${key.text.reveal()}`,
    'Content-Type: application/json',
    ...(privileges.trace ? ['X-LLM-Trace: true'] : []),
    ...(missing.length === 0 ? [] : [`X-LLM-Tags: ${missing.map((tag) => `${tag}=try`).join(', ')}`]),
    'Cache-Control: no-store',
  ]
}

/** One word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** All addresses of the machine are an address to listen at, and none to call. */
function callable(url: string): string {
  return url.replace(/^http:\/\/(\[::\]|0\.0\.0\.0):/, 'http://127.0.0.1:')
}
