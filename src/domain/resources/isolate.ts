/** One resource that cannot be understood must not keep the others from being in force. */
import type { Shape } from '../snapshot/shape.ts'
import type { Refusal } from './conditions.ts'

export type Isolated<Value> =
  | { readonly type: 'understood'; readonly value: Value }
  | { readonly type: 'refused'; readonly refusal: Refusal }

/**
 * What `understand` returns, or the refusal that says why it threw: the schemas let nothing through that it cannot take,
 * unless they are older than this program, or were loosened. Its message quotes the resource, never a Secret.
 */
export function isolate<Value>(understand: () => Value): Isolated<Value> {
  try {
    return { type: 'understood', value: understand() }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'it cannot be understood'
    return { type: 'refused', refusal: { reason: 'InvalidSpec', message } }
  }
}

/**
 * The entry, where those who read snapshots take it: one that they refuse would cost them all others of its snapshot.
 * @throws {ShapeError} which names the field
 */
export function readable<Entry extends object>(entry: Entry, shape: Shape<Entry>): Entry {
  shape(entry, 'spec')
  return entry
}
