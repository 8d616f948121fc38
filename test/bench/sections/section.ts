import type { Rig } from '../rig/rig.ts'

/** One part of the bench. A section of its own kind (masking speed, hostile input) is a new file and a line in registry.ts. */
export interface Section {
  /** The word on the command line. */
  readonly name: string
  readonly title: string
  /** `gateways`: runs on the rig. `nothing`: measures code of this project by itself. */
  readonly needs: 'gateways' | 'nothing'
  run(bench: Bench): Promise<Report>
}

export interface Bench {
  /** Short rounds, for a look; not for numbers that are kept. */
  readonly quick: boolean
  /** Starts the rig at first use. */
  rig(): Promise<Rig>
  log(line: string): void
}

export interface Report {
  /** First in the results: each a ratio or a bar of the design, with its verdict where there is one. */
  readonly bars: readonly Bar[]
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** What a reader must know to read the table. */
  readonly remarks: readonly string[]
}

export interface Bar {
  readonly text: string
  /** NaN where it could not be measured. */
  readonly value: number
  /** Undefined: a ratio to know, not a bar. */
  readonly limit: { readonly atLeast: number } | { readonly atMost: number } | undefined
  readonly unit: string
}
