/** The one way a snapshot comes into the proxy: parsed whole, frozen whole, or refused. */
import { GatewayError } from '../errors.ts'
import { takeAll, type Steps } from '../steps.ts'
import { organization, provider, virtualKey } from './entry-shapes.ts'
import { list, object, oneOf, ShapeError, text } from './shape.ts'
import { SNAPSHOT_SCHEMA, type Snapshot, type VirtualKeyEntry } from './snapshot.ts'

/** A snapshot that this process does not understand. The one in force stays. */
export class InvalidSnapshotError extends GatewayError {
  constructor(message: string, cause?: unknown) {
    super('internal_error', `invalid snapshot: ${message}`, { cause })
  }
}

/**
 * A snapshot from outside (Redis, a file) as the contract says it, deep-frozen. Fields that the contract does not know
 * are left out, so that an older proxy reads what a newer operator writes as long as `schema` is the same.
 * @throws {InvalidSnapshotError} which names the first field that is wrong.
 */
export function parseSnapshot(value: unknown): Snapshot {
  return takeAll(parseSnapshotInSteps(value))
}

/** The same, a virtual key a step. @throws {InvalidSnapshotError} */
export function* parseSnapshotInSteps(value: unknown): Steps<Snapshot> {
  const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined
  if (schema !== SNAPSHOT_SCHEMA) {
    throw new InvalidSnapshotError(
      `schema ${String(schema).slice(0, 20)} is not ${SNAPSHOT_SCHEMA}, the version that this process reads`,
    )
  }
  try {
    return yield* readSnapshot(value)
  } catch (error) {
    if (error instanceof ShapeError) throw new InvalidSnapshotError(error.message, error)
    throw error
  }
}

const withUnreadKeys = object<Omit<Snapshot, 'virtualKeys'> & { readonly virtualKeys: readonly unknown[] }>({
  schema: oneOf(SNAPSHOT_SCHEMA),
  revision: text,
  organizations: list(organization),
  providers: list(provider),
  virtualKeys: list((value) => value),
})

function* readSnapshot(value: unknown): Steps<Snapshot> {
  const { virtualKeys: unread, ...rest } = withUnreadKeys(value, '')
  const virtualKeys: VirtualKeyEntry[] = []
  for (const [index, entry] of unread.entries()) {
    virtualKeys.push(virtualKey(entry, `virtualKeys[${index}]`))
    yield
  }
  return Object.freeze({ ...rest, virtualKeys: Object.freeze(virtualKeys) })
}
