const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** A value that must never be printed: every way of turning it into text gives `[secret]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The clear value. Call it at the place of use only, and never keep the result. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [INSPECT](): string {
    return '[secret]'
  }
}
