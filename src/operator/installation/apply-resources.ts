/** Organizations and providers that come with an installation, applied when the API server knows their kinds. */
import { parseAllDocuments } from 'yaml'
import { isJsonObject, type JsonObject } from '../../domain/json.ts'
import type { KubeClient } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-error.ts'
import { isKubeObject, type KubeObject } from '../kube/kube-object.ts'
import { apiVersionOf, ORGANIZATIONS, PROVIDERS, type Resource } from '../kube/resource.ts'
import { pause, type Milliseconds, type Timing } from '../kube/timing.ts'

/** New kinds are served a moment after their CRDs are there. */
const RETRY_MS = 500
const KINDS: readonly Resource[] = [ORGANIZATIONS, PROVIDERS]

export interface ApplyResourcesOptions {
  readonly client: Pick<KubeClient, 'serverSideApply'>
  readonly timing: Timing
  /** YAML documents. */
  readonly text: string
  readonly timeoutMs: Milliseconds
  readonly writeLine: (line: string) => void
}

/**
 * Sets exactly the fields that are stated, whoever set them before, and leaves all others.
 * @throws {TypeError} for a document that is none of these kinds; KubeError where one is refused
 */
export async function applyResources(options: ApplyResourcesOptions): Promise<void> {
  const end = options.timing.elapsed() + options.timeoutMs
  for (const object of parseResources(options.text)) {
    await applyWhenServed(options, object, end)
    options.writeLine(`${object.kind} ${object.metadata.name} applied`)
  }
}

function parseResources(text: string): readonly KubeObject[] {
  const documents = parseAllDocuments(text).map((one): unknown => {
    if (one.errors[0] !== undefined) throw new TypeError(`not YAML: ${one.errors[0].message}`)
    return one.toJS()
  })
  return documents.filter((one) => one !== null && one !== undefined).map(parseResource)
}

function parseResource(document: unknown): KubeObject {
  if (!isKubeObject(document) || resourceOf(document) === undefined)
    throw new TypeError(`each document must be an Organization or a Provider of ${apiVersionOf(ORGANIZATIONS)}`)
  return document
}

function resourceOf({ apiVersion, kind }: KubeObject): Resource | undefined {
  return KINDS.find((known) => known.kind === kind && apiVersionOf(known) === apiVersion)
}

async function applyWhenServed(options: ApplyResourcesOptions, object: KubeObject, end: Milliseconds): Promise<void> {
  const { client, timing } = options
  const resource = resourceOf(object)
  if (resource === undefined) return
  for (;;) {
    try {
      await client.serverSideApply(resource, withoutStatus(object), { force: true })
      return
    } catch (error) {
      const isTooEarly = error instanceof KubeError && error.isNotFound
      if (!isTooEarly || timing.elapsed() > end) throw error
    }
    await pause(timing, RETRY_MS)
  }
}

function withoutStatus({ metadata, spec }: KubeObject): JsonObject {
  return { metadata, ...(isJsonObject(spec) ? { spec } : {}) }
}
