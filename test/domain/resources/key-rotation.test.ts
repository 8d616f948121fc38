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
    [
      'young',
      { createdAtMs: NOW - HOUR, formerNotAfterMs: [] },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 23 * HOUR },
    ],
    [
      'to the millisecond',
      { createdAtMs: NOW - 24 * HOUR, formerNotAfterMs: [] },
      RULES,
      undefined,
      { type: 'rotate', because: 'interval', notAfterMs: NOW + HOUR },
    ],
    [
      'one millisecond before',
      { createdAtMs: NOW - 24 * HOUR + 1, formerNotAfterMs: [] },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 1 },
    ],
    [
      'without an interval',
      { createdAtMs: 0, formerNotAfterMs: [] },
      { overlapMs: HOUR },
      undefined,
      { type: 'keep', nextAtMs: undefined },
    ],
    [
      'a new request',
      { createdAtMs: NOW, formerNotAfterMs: [] },
      RULES,
      'a',
      { type: 'rotate', because: 'request', notAfterMs: NOW + HOUR },
    ],
    [
      'a handled request',
      { createdAtMs: NOW, handledRotateRequest: 'a', formerNotAfterMs: [] },
      RULES,
      'a',
      { type: 'keep', nextAtMs: NOW + 24 * HOUR },
    ],
    [
      'another request',
      { createdAtMs: NOW, handledRotateRequest: 'a', formerNotAfterMs: [] },
      RULES,
      'b',
      { type: 'rotate', because: 'request', notAfterMs: NOW + HOUR },
    ],
    [
      'a request taken back',
      { createdAtMs: NOW, handledRotateRequest: 'a', formerNotAfterMs: [] },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 24 * HOUR },
    ],
    [
      'overlap running',
      { createdAtMs: NOW, formerNotAfterMs: [NOW + 5] },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 5 },
    ],
    [
      'of several overlaps the one that ends first counts',
      { createdAtMs: NOW, formerNotAfterMs: [NOW + 9, NOW + 5] },
      RULES,
      undefined,
      { type: 'keep', nextAtMs: NOW + 5 },
    ],
    [
      'one of several over',
      { createdAtMs: NOW, formerNotAfterMs: [NOW + 9, NOW] },
      RULES,
      undefined,
      { type: 'forget-former' },
    ],
    ['overlap over', { createdAtMs: NOW, formerNotAfterMs: [NOW] }, RULES, undefined, { type: 'forget-former' }],
    [
      'one of several ends later than an overlap from now: the clock was ahead',
      { createdAtMs: NOW, formerNotAfterMs: [NOW + 5, NOW + HOUR + 1] },
      RULES,
      undefined,
      { type: 'shorten-former', notAfterMs: NOW + HOUR },
    ],
    [
      'due while the overlap runs: the current key becomes one more former one',
      { createdAtMs: NOW - 24 * HOUR, formerNotAfterMs: [NOW + 5] },
      RULES,
      undefined,
      { type: 'rotate', because: 'interval', notAfterMs: NOW + HOUR },
    ],
  ]
  for (const [name, generation, rules, request, step] of cases) {
    t.strictSame(nextRotationStep(generation, rules, request, NOW), step, name)
  }
})
