/** Refusals that no route makes: in the shape of the adapter whose prefix the path has. */
import type { GatewayError } from '../../domain/errors.ts'
import type { ClientAdapter } from '../adapters/adapter.ts'
import { adapterOfPath } from '../adapters/registry.ts'
import type { Outgoing, ResponseHeaders } from '../pipeline/exchange.ts'
import { refuse } from '../pipeline/refuse.ts'
import { newRequestId } from './request-id.ts'

/** @param target of the request, as it came */
export function refuseOutside(
  error: GatewayError,
  target: string,
  dateMs: number,
): Extract<Outgoing, { type: 'whole' }> {
  const adapter = adapterOfPath(target)
  const requestId = newRequestId(dateMs)
  return refuse(error, adapter, requestId, idHeaders(adapter, requestId))
}

function idHeaders({ requestIdHeader }: ClientAdapter, requestId: string): ResponseHeaders {
  const headers: ResponseHeaders = { 'x-request-id': requestId }
  if (requestIdHeader !== undefined) headers[requestIdHeader] = requestId
  return headers
}
