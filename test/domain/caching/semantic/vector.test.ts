import fc from 'fast-check'
import t from 'tap'
import { cosine, packVector } from '../../../../src/domain/caching/semantic/vector.ts'

t.test('the cosine of packed vectors is that of the vectors, within 0.005', async () => {
  const numbers = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 64, maxLength: 64 })
  fc.assert(
    fc.property(numbers, numbers, (one, other) => {
      const left = packVector(Float32Array.from(one))
      const right = packVector(Float32Array.from(other))
      if (left === undefined || right === undefined) return true
      return Math.abs(cosine(left, right) - exact(one, other)) < 0.005
    }),
    { numRuns: 500 },
  )
})

t.test('a vector without direction is none, and vectors of two sizes are not alike', async (t) => {
  t.equal(packVector(new Float32Array(8)), undefined)
  t.equal(packVector(Float32Array.of(Number.NaN)), undefined)
  const [two, three] = [packVector(Float32Array.of(1, 1)), packVector(Float32Array.of(1, 1, 1))]
  t.equal(two && three && cosine(two, three), 0)
  t.ok(two && Math.abs(cosine(two, two) - 1) < 1e-9)
})

function exact(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
}
