/** What a request's answers use: what their provider tells of it, and the size of what has come, to estimate by what it does not tell. */
import type { Usage } from '../../../domain/completion/result.ts'
import type { StreamPart } from '../../../domain/completion/stream-part.ts'
import type { Charge } from '../../../domain/quota/amounts.ts'
import { textBytesOfAudio } from '../../../domain/quota/estimate.ts'
import { utf8Size } from '../../../domain/quota/utf8-size.ts'

/** UTF-8 bytes of a text, and those of them outside ASCII. */
interface TextSize {
  readonly bytes: number
  readonly wide: number
}

const NO_SIZE: TextSize = { bytes: 0, wide: 0 }

export class UsageMeter {
  /** As its provider tells it so far; once the request has settled, all that is charged. */
  usage: Usage | undefined
  /** The provider reported no usage, or not all; what stands there was estimated. */
  isEstimated = false
  /** Answers that were paid for and not used (a repair of forced JSON). */
  readonly earlier: { readonly usage: Usage; readonly charge: Charge }[] = []
  /** Of the answer's text. */
  readonly size = { bytes: 0, wide: 0 }
  /** Of `size`, what the usage counts that was told last. */
  #counted: TextSize = NO_SIZE

  /** Of the answer's size, what came after the answer's usage was told last. */
  get uncountedSize(): TextSize {
    const { bytes, wide } = this.size
    return { bytes: bytes - this.#counted.bytes, wide: wide - this.#counted.wide }
  }

  /** Counts a part of a streamed answer. */
  saw(part: StreamPart): void {
    if (part.type === 'usage') this.#sawUsage(part.usage)
    else if ('delta' in part) this.sawText(part.delta)
    else if (part.type === 'unknown' && part.generated !== undefined) this.#sawOwn(part.generated)
  }

  /** Counts a piece of the answer. */
  sawText(text: string): void {
    const { bytes, wide } = utf8Size(text)
    this.size.bytes += bytes
    this.size.wide += wide
  }

  /** What only its vendor's format has a word for. */
  #sawOwn({ text, audioBytes = 0 }: NonNullable<Extract<StreamPart, { type: 'unknown' }>['generated']>): void {
    this.sawText(text)
    this.size.bytes += textBytesOfAudio(audioBytes)
  }

  /** What a stream tells of its usage. Some tell that of the prompt first, Gemini in each event, and the answer's at the end. */
  #sawUsage(usage: Usage): void {
    this.usage = usage
    this.#counted = usage.output > 0 ? { ...this.size } : NO_SIZE
  }
}
