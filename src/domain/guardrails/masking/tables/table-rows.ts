/** The rows of a table in a text, read a part at a time: a table may be as long as the text. */

export interface Field {
  readonly start: number
  readonly end: number
}

export interface Column {
  /** Where the names end. */
  readonly headerEnd: number
  readonly rows: Rows
}

export interface Row {
  /** Of the column, without quotes; undefined where it is empty. */
  readonly field: Field | undefined
  readonly end: number
  /** Where another row may begin. */
  readonly next: number | undefined
}

export class Rows {
  readonly #read: (at: number) => Row | undefined
  #at: number
  #isOver = false

  /** @param read the row that begins at an offset; undefined where none does, which ends the table */
  constructor(from: number, read: (at: number) => Row | undefined) {
    this.#at = from
    this.#read = read
  }

  /** Where what has been read ends. */
  get end(): number {
    return this.#at
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The column's fields in the further rows that begin before `limit`. */
  readTo(limit: number): Field[] {
    const fields: Field[] = []
    while (!this.#isOver && this.#at < limit) {
      const row = this.#read(this.#at)
      if (row?.field !== undefined) fields.push(row.field)
      this.#isOver = row?.next === undefined
      this.#at = row?.next ?? row?.end ?? this.#at
    }
    return fields
  }
}
