/** Where resources are declared, by which the files and lines of their fields are told. */
import type { KindName } from '../domain/resources/kinds.ts'
import { lineOfField, type FieldLines } from './field-lines.ts'
import type { FieldPath } from './problem.ts'

export interface Place {
  readonly file: string
  readonly lines: FieldLines
}

/** By `placeKey`. */
export type Places = ReadonlyMap<string, Place>

/** @param namespace empty for cluster-scoped kinds */
export function placeKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`
}

export interface ResourceName {
  readonly kind: KindName
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
}

/** `keys.yaml:3`, of a field where one is named. Undefined where no file declares the resource. */
export function placeOf(
  places: Places,
  { kind, namespace, name }: ResourceName,
  field: FieldPath = [],
): string | undefined {
  const place = places.get(placeKey(kind, namespace, name))
  return place === undefined ? undefined : formatPlace(place, field)
}

/** As `placeOf`. */
export function formatPlace({ file, lines }: Place, field: FieldPath = []): string {
  return `${file}:${lineOfField(lines, field)}`
}
