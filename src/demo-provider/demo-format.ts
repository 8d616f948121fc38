import type { JsonObject } from '../domain/json.ts'
import type { DemoAnswer, DemoRefusal, DemoRequest } from './demo-request.ts'

/** One vendor's wire format, seen from the provider's side. */
export interface DemoFormat {
  /** @throws {DemoRefusal} where the request is not one. `path` carries what some vendors put there. */
  read(document: JsonObject, path: PathHints): DemoRequest
  render(answers: readonly DemoAnswer[], context: RenderContext): JsonObject
  /** The stream's events as bytes, in order; one is sent at a time. */
  events(answers: readonly DemoAnswer[], context: RenderContext): string[]
  error(refusal: DemoRefusal): JsonObject
}

export interface PathHints {
  readonly model: string | undefined
  readonly stream: boolean
}

export interface RenderContext {
  readonly request: DemoRequest
  /** Unique per answer, without a vendor's prefix. */
  readonly id: string
  readonly createdSeconds: number
}
