/** Calls of a provider with the one model `m`, for tests of what sends them. */
import type { ProviderEntry, ProviderTimeouts } from '../../src/domain/snapshot/snapshot.ts'
import { AttemptError, type ProviderCall, type ProviderReply } from '../../src/proxy/pipeline/ports.ts'
import { compile, deploymentOf, model, provider } from '../domain/routing/samples.ts'

/** Its entry, where the server is at `url`. */
export function providerAt(
  url: string,
  timeouts: ProviderTimeouts,
  fields: Partial<ProviderEntry> = {},
): ProviderEntry {
  const endpoint = { baseUrl: `${url}/v1`, allowInsecureHttp: true, headers: {} }
  return provider('one', [model('m')], { endpoint, timeouts, ...fields })
}

/** A chat that is not streamed and that nobody aborts, unless `fields` say otherwise. */
export function callOf(from: ProviderEntry, fields: Partial<ProviderCall> = {}): ProviderCall {
  return {
    deployment: deploymentOf(compile(from), 'one/m'),
    credential: undefined,
    operation: 'chat',
    stream: false,
    body: '{"model":"m"}',
    passHeaders: {},
    signal: new AbortController().signal,
    ...fields,
  }
}

/** The whole body. */
export async function textOf(reply: ProviderReply): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of reply.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The AttemptError of a promise that must fail with one. */
export async function attemptFailureOf(
  promise: Promise<unknown>,
): Promise<{ kind: string; clock: string | undefined }> {
  try {
    await promise
  } catch (error) {
    if (error instanceof AttemptError) return { kind: error.kind, clock: error.clock }
    throw error
  }
  throw new Error('nothing failed')
}
