/** How documents of the kinds that are read here are validated and named. */
import { API_VERSION } from '../../domain/resources/kinds.ts'
import { readableKind, READABLE_KIND_NAMES, type ReadableKindName } from './readable-kinds.ts'
import { validatorOf, type Validator } from './validate.ts'

/** Of one kind. */
export interface KindReader {
  readonly isNamespaced: boolean
  readonly validate: Validator
  readonly nameForm: 'subdomain' | 'label'
}

/** Each is made when the first document of its kind comes, since a start waits for it, and kept for the reloads. */
const kindReaders = new Map<string, KindReader>()

/** Undefined: nothing that is read here. */
export function kindReader(apiVersion: string, kind: string): KindReader | undefined {
  const name = READABLE_KIND_NAMES.find((known) => known === kind)
  if (name === undefined || apiVersion !== apiVersionOf(name)) return undefined
  let reader = kindReaders.get(name)
  if (reader === undefined) kindReaders.set(name, (reader = makeReader(name)))
  return reader
}

function apiVersionOf(kind: ReadableKindName): string {
  return kind === 'Secret' || kind === 'Namespace' ? 'v1' : API_VERSION
}

function makeReader(name: ReadableKindName): KindReader {
  const kind = readableKind(name)
  const nameForm = name === 'Namespace' ? 'label' : 'subdomain'
  return { isNamespaced: kind.isNamespaced, validate: validatorOf(kind), nameForm }
}
