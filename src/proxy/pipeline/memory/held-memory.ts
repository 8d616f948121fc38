/** What one request holds of the bounds of memory that all requests share, until it has settled. */
import type { AnswerMemory, AnswerShare } from './answer-memory.ts'
import type { Cancellation } from '../ports.ts'
import { ValueShare, type ValueMemory } from './value-memory.ts'

export class HeldMemory {
  /** Of large answers only. */
  #answers: AnswerShare[] | undefined
  #values: ValueShare | undefined

  /** For a large answer. @param signal ends the wait for room */
  openShare(answers: AnswerMemory, signal: Cancellation): AnswerShare {
    const share = answers.open(signal)
    this.#answers ??= []
    this.#answers.push(share)
    return share
  }

  /** The share of an answer that is known whole and goes to the client. What was read for it before is held no more. */
  clientShare(answers: AnswerMemory, signal: Cancellation): AnswerShare {
    const share = this.#answers?.pop()
    this.releaseAnswers()
    if (share === undefined) return this.openShare(answers, signal)
    this.#answers = [share]
    return share
  }

  /** The last share is the connection's now, which gives it back. */
  handOverShare(): void {
    this.#answers?.pop()
  }

  /** The answers so far are not held any more. */
  releaseAnswers(): void {
    if (this.#answers === undefined) return
    for (const share of this.#answers) share.release()
    this.#answers = undefined
  }

  /** For what is masked. */
  openValues(memory: ValueMemory): ValueShare {
    return (this.#values ??= new ValueShare(memory))
  }

  releaseAll(): void {
    this.releaseAnswers()
    this.#values?.release()
  }
}
