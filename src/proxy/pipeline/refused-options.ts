/**
 * `stream_options`, which the gateway asks every stream of OpenAI's format for, so that it can bill: strict servers of that
 * format (Databricks, older versions of Azure's API) refuse it with a 400. The first refusal of a deployment teaches it.
 */
import type { CompletionRequest } from '../../domain/completion/request.ts'
import { isNamed } from '../../domain/formats/named-model.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import { StatusError } from './status-error.ts'

/** Deployments of the running configuration that have answered without, and refused with. */
const refusing = new WeakSet<Deployment>()

const REFUSALS: ReadonlySet<number> = new Set([400, 422])

/** Whether a stream is to go without: never where the client asked this very model for it in its own words. */
export function goesWithout(deployment: Deployment, request: CompletionRequest): boolean {
  return refusing.has(deployment) && !isTheClients(deployment, request)
}

/** Whether the same request may be taken without the options. */
export function refusesOptions(error: unknown, deployment: Deployment, request: CompletionRequest): boolean {
  if (!(error instanceof StatusError) || !REFUSALS.has(error.status)) return false
  if (error.format !== 'chat-completions' || isTheClients(deployment, request)) return false
  const { message, param } = error.provider
  return `${message} ${param}`.includes('stream_options')
}

/** It answers without. */
export function noteRefusal(deployment: Deployment): void {
  refusing.add(deployment)
}

function isTheClients({ model, provider }: Deployment, { source, model: named }: CompletionRequest): boolean {
  const isAsked = source.format === 'chat-completions' && (source.document.stream_options ?? undefined) !== undefined
  return isAsked && isNamed(named, { model: model.upstreamName, provider: provider.name })
}
