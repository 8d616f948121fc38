import t from 'tap'
import { nextRotationStep, type KeyGeneration, type RotationRules } from '../../../src/domain/resources/key-rotation.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 1)
const RULES: RotationRules = { intervalMs: 24 * HOUR, overlapMs: HOUR }

t.test('a table of states and what follows from them', async (t) => {
  const cases: [
    name: string,
    generation: KeyGeneration | undefined,
    rules: RotationRules,
    request: string | undefined,
    step: object,
  ][] = [
    ['no key yet', undefined, RULES, undefined, { type: 'create' }],
    ['no key yet, a request changes nothing', undefined, RULES, 'now', { type: 'create' }],
    ['young', { createdAtMs: NOW - HOUR }, RULES, undefined, { type: 'keep', nextAtMs: NOW + 23 * HOUR }],
    [
      'to the millisecond',
      { createdAtMs: NOW - 24 * HOUR },
      RULES,
      undefined,
      { type: 'rotate', because: 'interval', previousNotAfterMs: NOW + HOUR },
    ],
    [
      'one millisecond before',
      { createdAtMs: NOW - 24 * HOUR + 1 },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 1 },
    ],
    ['without an interval', { createdAtMs: 0 }, { overlapMs: HOUR }, undefined, { type: 'keep', nextAtMs: undefined }],
    [
      'a new request',
      { createdAtMs: NOW },
      RULES,
      'a',
      { type: 'rotate', because: 'request', previousNotAfterMs: NOW + HOUR },
    ],
    [
      'a handled request',
      { createdAtMs: NOW, handledRotateRequest: 'a' },
      RULES,
      'a',
      { type: 'keep', nextAtMs: NOW + 24 * HOUR },
    ],
    [
      'another request',
      { createdAtMs: NOW, handledRotateRequest: 'a' },
      RULES,
      'b',
      { type: 'rotate', because: 'request', previousNotAfterMs: NOW + HOUR },
    ],
    [
      'a request taken back',
      { createdAtMs: NOW, handledRotateRequest: 'a' },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 24 * HOUR },
    ],
    [
      'overlap running',
      { createdAtMs: NOW, previousNotAfterMs: NOW + 5 },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 5 },
    ],
    ['overlap over', { createdAtMs: NOW, previousNotAfterMs: NOW }, RULES, undefined, { type: 'forget-previous' }],
    [
      'due while the overlap runs: the current key becomes the previous one',
      { createdAtMs: NOW - 24 * HOUR, previousNotAfterMs: NOW + 5 },
      RULES,
      undefined,
      { type: 'rotate', because: 'interval', previousNotAfterMs: NOW + HOUR },
    ],
  ]
  for (const [name, generation, rules, request, step] of cases) {
    t.strictSame(nextRotationStep(generation, rules, request, NOW), step, name)
  }
})
