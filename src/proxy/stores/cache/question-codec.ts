/** A known question as bytes: a line of JSON, then the vector's components. */
import type { KnownQuestion } from '../../pipeline/cache-port.ts'

const NEWLINE = 0x0a

export function encodeQuestion({ wording, answer, askedAtMs, vector }: KnownQuestion): Uint8Array {
  const head = Buffer.from(`${JSON.stringify([wording, answer, askedAtMs, vector.step])}\n`)
  return Buffer.concat([
    head,
    Buffer.from(vector.components.buffer, vector.components.byteOffset, vector.components.length),
  ])
}

/** Undefined where the bytes are no question. */
export function decodeQuestion(bytes: Uint8Array): KnownQuestion | undefined {
  const end = bytes.indexOf(NEWLINE)
  if (end === -1) return undefined
  const head = parse(Buffer.from(bytes.subarray(0, end)).toString())
  const [wording, answer, askedAtMs, step]: unknown[] = Array.isArray(head) ? head : []
  if (typeof wording !== 'string' || typeof answer !== 'string') return undefined
  if (typeof askedAtMs !== 'number' || typeof step !== 'number') return undefined
  return { wording, answer, askedAtMs, vector: { components: Int8Array.from(bytes.subarray(end + 1)), step } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
