/** Refusals of what reaches no route: unknown paths and methods, requests that are not well-formed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../../domain/errors.ts'
import { adapterMeant, offeredMethods } from '../adapters/offered-methods.ts'
import { pathFault } from '../adapters/path-fault.ts'
import { adapterOfPath } from '../adapters/registry.ts'
import type { Services } from '../pipeline/services.ts'
import { refuseOutside } from './refuse-outside.ts'
import { restOfBody } from './rest-of-body.ts'
import { send } from './send.ts'
import { serve } from './serve.ts'

/** Characters of a path that a 404 repeats, so that a user sees which call of the SDK it was. */
const MAX_SHOWN_PATH = 200

/** What is mostly wrong then. */
const BASE_URLS = 'base URLs of SDKs are /adapters/openai/v1, /adapters/anthropic, /adapters/gemini'

/** Paths are matched to the letter: `//`, encoded slashes, dots and other cases lead here, never to another route. */
export function notFound(request: FastifyRequest, reply: FastifyReply, services: Services): void {
  const { method = '', url = '' } = request.raw
  const shown = `${method} ${url.replace(/\?.*/s, '').slice(0, MAX_SHOWN_PATH)}`
  const offered = offeredMethods(url)
  const allow = offered.join(', ')
  const meant = offered.includes(method) ? undefined : adapterMeant(method, url)
  const fault = meant === undefined ? pathFault(url) : `The base URL lacks /adapters/${meant.label}`
  const lead = fault === undefined ? '' : `${fault}. `
  // With a method of its own the path was taken for a route's and is none: an encoding that is broken, a call not offered.
  const error =
    allow === '' || offered.includes(method)
      ? new GatewayError(
          'route_not_found',
          `${lead}There is no such method and path: ${shown}; offered are ${adapterOfPath(url).offers}; ${BASE_URLS}`,
        )
      : new GatewayError('method_not_allowed', `${lead}This path takes ${allow} only: ${shown}; ${BASE_URLS}`, {
          headers: { allow },
        })
  refuseUnrouted(error, request, reply, services)
}

/** What the framework throws. It judges the body's type where no route took the request: then the path is what is wrong. */
export function unexpected(error: unknown, request: FastifyRequest, reply: FastifyReply, services: Services): void {
  const status = statusOf(error)
  if (status >= 400 && status < 500) return notFound(request, reply, services)
  services.log.error({ err: error }, 'unexpected error')
  refuseUnrouted(new GatewayError('internal_error', 'An error inside the gateway.'), request, reply, services)
}

/** An `Expect` that is not `100-continue`. */
export function unmetExpectation(request: IncomingMessage, response: ServerResponse, services: Services): void {
  const error = new GatewayError('invalid_request_error', 'Of expectations only 100-continue is met.', {
    param: 'expect',
    status: 417,
  })
  response.shouldKeepAlive = false
  const rest = restOfBody(response)
  void send(response, refuseOutside(error, request.url ?? '', services.wallNow()), { rest })
}

function statusOf(error: unknown): number {
  return typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500
}

/** In the words of the family whose path it is, or the native one. */
export function refuseUnrouted(
  error: GatewayError,
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): void {
  reply.hijack()
  const target = request.raw.url ?? ''
  const outgoing = refuseOutside(error, target, services.wallNow())
  void serve(outgoing, { adapter: adapterOfPath(target), query: '' }, reply.raw, services)
}
