/**
 * So many pieces are joined as they come: a piece is cut out of its event's text, ten times as long, which it would keep in
 * memory until the answer is complete.
 */
const JOINED_PIECES = 16

/** A text of a stream that is kept until it is complete. */
export class GrowingText {
  #text = ''
  #pieces: string[] = []

  add(piece: string): void {
    this.#pieces.push(piece)
    if (this.#pieces.length >= JOINED_PIECES) this.#join()
  }

  /** So far. */
  get all(): string {
    this.#join()
    return this.#text
  }

  #join(): void {
    this.#text += this.#pieces.join('')
    this.#pieces = []
  }
}
