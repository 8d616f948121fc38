/**
 * The shipped weights: `TGIW`, version, log2 of the bucket count, two spare bytes, scale and bias as little-endian 32-bit floats,
 * then one signed byte a bucket. Written by training/injection/train.ts.
 */
import { BUCKETS } from './features.ts'

export interface ClassifierWeights {
  /** Value of one step of a weight. */
  readonly scale: number
  /** Log-odds of a text without any feature. */
  readonly bias: number
  readonly steps: Int8Array
}

const MAGIC = 'TGIW'
/** Goes up when features or concepts change their meaning: old weights would be noise. */
export const WEIGHTS_VERSION = 1
const HEADER = 16

/** @throws {RangeError} where the bytes are not weights of this version. */
export function parseWeights(bytes: Uint8Array): ClassifierWeights {
  const magic = String.fromCharCode(...bytes.subarray(0, MAGIC.length))
  if (magic !== MAGIC || bytes[4] !== WEIGHTS_VERSION || bytes.length !== HEADER + BUCKETS) {
    throw new RangeError(
      `injection weights: not a version ${WEIGHTS_VERSION} file of ${BUCKETS} weights (${bytes.length} bytes)`,
    )
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    scale: view.getFloat32(8, true),
    bias: view.getFloat32(12, true),
    steps: Int8Array.from(bytes.subarray(HEADER), (byte) => (byte << 24) >> 24),
  }
}

/** The inverse of `parseWeights`. */
export function renderWeights(weights: ClassifierWeights): Uint8Array {
  const bytes = new Uint8Array(HEADER + BUCKETS)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < MAGIC.length; index++) bytes[index] = MAGIC.charCodeAt(index)
  bytes[4] = WEIGHTS_VERSION
  bytes[5] = Math.log2(BUCKETS)
  view.setFloat32(8, weights.scale, true)
  view.setFloat32(12, weights.bias, true)
  bytes.set(new Uint8Array(weights.steps.buffer, weights.steps.byteOffset, weights.steps.length), HEADER)
  return bytes
}
