import { cache } from './cache.ts'
import { injection } from './injection.ts'
import { latency } from './latency.ts'
import { maskingSpeed } from './masking-speed.ts'
import { memory } from './memory.ts'
import { operatorScale } from './operator.ts'
import type { Section } from './section.ts'
import { startUp } from './start-up.ts'
import { streams } from './streams.ts'
import { throughput } from './throughput.ts'

/** In the order of running and of the results. */
export const SECTIONS: readonly Section[] = [
  throughput,
  latency,
  streams,
  memory,
  cache,
  startUp,
  maskingSpeed,
  injection,
  operatorScale,
]
