/**
 * A batch of a stream in pieces that are each written in a turn of their own. Mostly a batch is a few parts; what a codec
 * has put in order comes out at once, though, when the block before it ends or the answer does: a hundred thousand parts of
 * calls that stayed open, where a provider is broken or hostile.
 */
import type { StreamItem } from './item-stream.ts'

/** Parts of a piece: a few milliseconds of encoding. */
const PARTS_A_TURN = 512

/** Whether the batch is more than one piece. */
export function isLarge(items: readonly StreamItem[]): boolean {
  let parts = 0
  for (const item of items) parts += item.parts.length
  return parts > PARTS_A_TURN
}

/** @param mayDivide whether the item's parts, and not its event, are what is written */
export function* piecesOf(
  items: readonly StreamItem[],
  mayDivide: (item: StreamItem) => boolean,
): Generator<readonly StreamItem[], undefined, undefined> {
  let piece: StreamItem[] = []
  let parts = 0
  for (const item of items) {
    for (const divided of mayDivide(item) ? divide(item) : [item]) {
      piece.push(divided)
      parts += divided.parts.length
      if (parts < PARTS_A_TURN) continue
      yield piece
      piece = []
      parts = 0
    }
  }
  if (piece.length > 0) yield piece
}

function* divide(item: StreamItem): Generator<StreamItem, undefined, undefined> {
  if (item.parts.length <= PARTS_A_TURN) return yield item
  for (let from = 0; from < item.parts.length; from += PARTS_A_TURN)
    yield { parts: item.parts.slice(from, from + PARTS_A_TURN) }
}
