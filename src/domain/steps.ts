/**
 * Work in steps, so that what a large document takes can be done in turns with everything else that a process has to
 * do. Whoever holds the steps decides when the next is taken; a step is a millisecond or so, not more than ten.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Takes all steps at once. @returns what they end with */
export function takeAll<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
