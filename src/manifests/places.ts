/** Where resources are declared, by which the files and lines of their fields are told. */
import { namespacedName, type NamespacedName } from '../domain/resources/namespaced-name.ts'
import { lineOfField, type FieldLines } from './syntax/field-lines.ts'
import type { FieldPath } from './problem.ts'

export interface Place {
  readonly file: string
  readonly lines: FieldLines
}

/** By `formatResource`. */
export type Places = ReadonlyMap<string, Place>

export interface ResourceName extends NamespacedName {
  readonly kind: string
}

/** `VirtualKey default/demo`, `Provider openai`. */
export function formatResource(resource: ResourceName): string {
  return `${resource.kind} ${namespacedName(resource)}`
}

/** `keys.yaml:3`, of a field where one is named. Undefined where no file declares the resource. */
export function placeOf(places: Places, resource: ResourceName, field: FieldPath = []): string | undefined {
  const place = places.get(formatResource(resource))
  return place === undefined ? undefined : formatPlace(place, field)
}

/** `keys.yaml:3: VirtualKey default/demo`. @param place as of `placeOf` */
export function formatPlaced(resource: ResourceName, place: string | undefined): string {
  return `${place === undefined ? '' : `${place}: `}${formatResource(resource)}`
}

/** As `placeOf`. */
export function formatPlace({ file, lines }: Place, field: FieldPath = []): string {
  return `${file}:${lineOfField(lines, field)}`
}
