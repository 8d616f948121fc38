/**
 * `stream_options`, which the gateway asks every stream of OpenAI's format for, so that it can bill: strict servers of that
 * format (Databricks, older versions of Azure's API) refuse it with a 400. The first refusal teaches it, for an hour: a server
 * that was made newer meanwhile counts its tokens again.
 */
import type { CompletionRequest } from '../../../domain/completion/request.ts'
import { asObject } from '../../../domain/json.ts'
import type { Deployment } from '../../../domain/snapshot/compiled-snapshot.ts'
import type { Milliseconds } from '../../../domain/snapshot/snapshot.ts'
import { isAskedForItself } from '../planning/asked-model.ts'
import { StatusError } from './status-error.ts'

/** Long beside a refused request, short beside a month of estimated usage. */
const LEARNT_FOR_MS: Milliseconds = 3_600_000
/** Of more models at a time the first is asked again earlier. */
const MAX_LEARNT = 1_000

/** When each has answered without, and refused with, the oldest first: it says so of a server, in whichever configuration. */
const learnt = new Map<string, Milliseconds>()

const REFUSALS: ReadonlySet<number> = new Set([400, 422])

/** Whether a stream is to go without: never where the client asked this very model for it in its own words. */
export function goesWithout(deployment: Deployment, request: CompletionRequest, now: Milliseconds): boolean {
  if (learnt.size === 0) return false
  const learntMs = learnt.get(serverOf(deployment))
  return learntMs !== undefined && now - learntMs < LEARNT_FOR_MS && !isTheClients(deployment, request)
}

/** Whether the same request may be taken without the options. */
export function refusesOptions(error: unknown, deployment: Deployment, request: CompletionRequest): boolean {
  if (!(error instanceof StatusError) || !REFUSALS.has(error.status)) return false
  if (error.format !== 'chat-completions' || isTheClients(deployment, request)) return false
  return error.says('stream_options')
}

/** It answers without. Where options of the client's own stood among them it may have refused those: that says nothing of others. */
export function noteRefusal(deployment: Deployment, request: CompletionRequest, now: Milliseconds): void {
  if (!areOurs(request)) return
  const server = serverOf(deployment)
  learnt.delete(server)
  learnt.set(server, now)
  const [oldest] = learnt.keys()
  if (learnt.size > MAX_LEARNT && oldest !== undefined) learnt.delete(oldest)
}

function serverOf({ id, provider, model }: Deployment): string {
  return JSON.stringify([id, provider.endpoint.baseUrl, model.upstreamName])
}

function areOurs({ source }: CompletionRequest): boolean {
  if (source.format !== 'chat-completions') return true
  return Object.keys(asObject(source.document.stream_options) ?? {}).every((option) => option === 'include_usage')
}

function isTheClients(deployment: Deployment, { source, model }: CompletionRequest): boolean {
  const isAsked = source.format === 'chat-completions' && (source.document.stream_options ?? undefined) !== undefined
  return isAsked && isAskedForItself(deployment, model)
}
