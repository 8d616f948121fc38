/**
 * Manifest files to resources. Everything that the API server would refuse is refused here, with its place; all faults
 * are reported, not just the first.
 */
import {
  API_GROUP,
  API_VERSION,
  type NamespaceResource,
  type ObjectMeta,
  type OrganizationResource,
  type ProviderResource,
  type VirtualKeyResource,
} from '../domain/resources/kinds.ts'
import { takeAll, type Steps } from '../domain/steps.ts'
import { checkSecret, type SecretDocument } from './validation/core-kinds.ts'
import { isRecord } from './validation/defaults.ts'
import { readDocuments, type SourceObject } from './syntax/documents.ts'
import { lineOfField } from './syntax/field-lines.ts'
import { findFiles, readText } from './syntax/files.ts'
import { kindReader, type KindReader } from './validation/kind-readers.ts'
import { checkMetadata, type CheckedMetadata } from './validation/metadata.ts'
import { ignored, isSlip, unknownKind } from './other-kinds.ts'
import { formatPlace, formatResource, type Place, type Places } from './places.ts'
import { formatPath, type FieldProblem, type ManifestProblem } from './problem.ts'
import { readSecret, type Environment, type SecretResource } from './secrets.ts'

/** Most problems that are reported; the rest are counted. */
export const MAX_PROBLEMS = 100
const DEFAULT_NAMESPACE = 'default'

export interface ManifestResources {
  readonly organizations: readonly OrganizationResource[]
  readonly providers: readonly ProviderResource[]
  readonly virtualKeys: readonly VirtualKeyResource[]
  readonly namespaces: readonly NamespaceResource[]
  readonly secrets: readonly SecretResource[]
  readonly places: Places
}

export interface IgnoredObject extends ManifestProblem {
  /** False: it was probably meant to be one of ours. */
  readonly isForeign: boolean
}

export type LoadResult =
  | {
      readonly type: 'loaded'
      readonly resources: ManifestResources
      /** What was read and ignored. */
      readonly warnings: readonly IgnoredObject[]
      /** The files that were read, for a watcher. */
      readonly files: readonly string[]
    }
  | {
      readonly type: 'invalid'
      /** By file and line; at most MAX_PROBLEMS. */
      readonly problems: readonly ManifestProblem[]
      /** Problems beyond those. */
      readonly omitted: number
    }

/** Reads files and folders. `environment` serves `${NAME}` in `stringData`. Never throws. */
export function loadManifests(paths: readonly string[], environment: Environment): LoadResult {
  return takeAll(loadManifestsInSteps(paths, environment))
}

/**
 * The same in steps. All files are read in the first, thousands in 50 ms: two that change together are seen together.
 * @param beside what is declared elsewhere and in force with them: a name that it has is a duplicate here
 */
export function* loadManifestsInSteps(
  paths: readonly string[],
  environment: Environment,
  beside: Places = new Map(),
): Steps<LoadResult> {
  const { files, problems } = findFiles(paths)
  const load = new Load(environment, beside)
  for (const problem of problems) load.refuseFile(problem.file, problem.message, problem.allowed)
  const texts: { readonly file: string; readonly text: string }[] = []
  for (const file of files) {
    const read = readText(file)
    if ('problem' in read) load.refuseFile(file, read.problem.message, read.problem.allowed)
    else texts.push({ file, text: read.text })
  }
  yield
  for (const { file, text } of texts) yield* load.readFile(file, text)
  return load.result(files)
}

/** The same over texts that are already in memory, by file name. */
export function loadTexts(texts: Readonly<Record<string, string>>, environment: Environment): LoadResult {
  const load = new Load(environment)
  for (const [file, text] of Object.entries(texts)) takeAll(load.readFile(file, text))
  return load.result(Object.keys(texts))
}

/** One load: gathers resources and problems. */
class Load {
  readonly #environment: Environment
  readonly #problems: ManifestProblem[] = []
  readonly #warnings: IgnoredObject[] = []
  readonly #places: Map<string, Place>
  readonly #organizations: OrganizationResource[] = []
  readonly #providers: ProviderResource[] = []
  readonly #virtualKeys: VirtualKeyResource[] = []
  readonly #namespaces: NamespaceResource[] = []
  readonly #secrets: SecretResource[] = []

  constructor(environment: Environment, beside: Places = new Map()) {
    this.#environment = environment
    this.#places = new Map(beside)
  }

  refuseFile(file: string, message: string, allowed?: string): void {
    const problem = { file, line: 0, document: 0, resource: '', path: '', message }
    this.#problems.push(allowed === undefined ? problem : { ...problem, allowed })
  }

  *readFile(file: string, text: string): Steps<undefined> {
    for (const document of readDocuments(text)) {
      yield
      for (const problem of document?.problems ?? []) this.#problems.push({ ...problem, file, resource: '', path: '' })
      for (const object of document?.objects ?? []) {
        this.#readObject(file, object)
        yield
      }
    }
  }

  result(files: readonly string[]): LoadResult {
    if (this.#problems.length > 0) {
      const problems = byLine(this.#problems).slice(0, MAX_PROBLEMS)
      return { type: 'invalid', problems, omitted: this.#problems.length - problems.length }
    }
    const resources = {
      organizations: this.#organizations,
      providers: this.#providers,
      virtualKeys: this.#virtualKeys,
      namespaces: this.#namespaces,
      secrets: this.#secrets,
      places: this.#places,
    }
    return { type: 'loaded', resources, warnings: this.#warnings, files }
  }

  #readObject(file: string, object: SourceObject): void {
    const { value } = object
    const report = (problem: FieldProblem): void => {
      this.#problems.push(placed(file, object, problem))
    }
    if (!isRecord(value))
      return report({ path: [], message: 'is not an object', allowed: 'apiVersion, kind, metadata and spec' })
    const { apiVersion, kind } = value
    if (typeof apiVersion !== 'string')
      return report({ path: ['apiVersion'], message: 'is required', allowed: `${API_VERSION} or v1` })
    if (typeof kind !== 'string')
      return report({
        path: ['kind'],
        message: 'is required',
        allowed: 'VirtualKey, Provider, Organization, Secret or Namespace',
      })
    const reader = kindReader(apiVersion, kind)
    if (reader !== undefined) return this.#readResource(file, object, reader)
    if (apiVersion === API_GROUP || apiVersion.startsWith(`${API_GROUP}/`)) return report(unknownKind(apiVersion, kind))
    const problem = placed(file, object, { path: [], message: ignored(apiVersion, kind) })
    this.#warnings.push({ ...problem, isForeign: !isSlip(apiVersion, kind) })
  }

  #readResource(file: string, object: SourceObject, reader: KindReader): void {
    const validation = reader.validate(object.value)
    let { problems } = validation
    const document = validation.value as ResourceDocument
    // The metadata's own rules need its types to be right; a blocking problem may be about those.
    if (!problems.some(({ path, blocking }) => blocking && path[0] === 'metadata')) {
      problems = [...problems, ...checkMetadata(document.metadata, reader.nameForm)]
      if (document.kind === 'Secret' && problems.length === 0) problems = checkSecret(document)
      problems = [...problems, ...this.#claimName(file, object, document, reader)]
    }
    for (const problem of problems) this.#problems.push(placed(file, object, problem))
    if (problems.length === 0) this.#add(document, toMeta(document.metadata, reader.isNamespaced))
  }

  /** Two objects of one kind and name in the files would be one object in the cluster. */
  #claimName(
    file: string,
    object: SourceObject,
    { kind, metadata }: ResourceDocument,
    { isNamespaced }: KindReader,
  ): FieldProblem[] {
    const resource = formatResource({ kind, ...toMeta(metadata, isNamespaced) })
    const earlier = this.#places.get(resource)
    if (earlier !== undefined) {
      const message = `duplicate: ${resource} is already declared at ${formatPlace(earlier)}`
      return [{ path: ['metadata', 'name'], message }]
    }
    this.#places.set(resource, { file, lines: object.lines() })
    return []
  }

  #add(document: ResourceDocument, metadata: ObjectMeta): void {
    switch (document.kind) {
      case 'Organization':
        this.#organizations.push({ kind: 'Organization', metadata, spec: document.spec })
        return
      case 'Provider':
        this.#providers.push({ kind: 'Provider', metadata, spec: document.spec })
        return
      case 'VirtualKey':
        this.#virtualKeys.push({ kind: 'VirtualKey', metadata, spec: document.spec })
        return
      case 'Namespace':
        this.#namespaces.push({ name: metadata.name, labels: metadata.labels })
        return
      case 'Secret':
        this.#secrets.push(readSecret(metadata, document, this.#environment))
        return
      default:
        document satisfies never
    }
  }
}

/** The files in the order of reading. */
function byLine(problems: readonly ManifestProblem[]): ManifestProblem[] {
  const files = [...Map.groupBy(problems, ({ file }) => file).values()]
  return files.flatMap((ofFile) => ofFile.toSorted((left, right) => left.line - right.line))
}

/** A document that has passed its kind's schema. */
type ResourceDocument = { readonly apiVersion: string; readonly metadata: CheckedMetadata } & (
  | { readonly kind: 'Organization'; readonly spec: OrganizationResource['spec'] }
  | { readonly kind: 'Provider'; readonly spec: ProviderResource['spec'] }
  | { readonly kind: 'VirtualKey'; readonly spec: VirtualKeyResource['spec'] }
  | { readonly kind: 'Namespace' }
  | ({ readonly kind: 'Secret' } & SecretDocument)
)

function toMeta(metadata: CheckedMetadata, isNamespaced: boolean): ObjectMeta {
  const namespace =
    metadata.namespace === undefined || metadata.namespace === '' ? DEFAULT_NAMESPACE : metadata.namespace
  return {
    name: metadata.name,
    namespace: isNamespaced ? namespace : '',
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
  }
}

function placed(file: string, object: SourceObject, { path, message, allowed }: FieldProblem): ManifestProblem {
  const problem = {
    file,
    line: lineOfField(object.lines(), path),
    document: object.document,
    resource: describeResource(object.value),
    path: formatPath([...object.prefix, ...path]),
    message,
  }
  return allowed === undefined || allowed === '' ? problem : { ...problem, allowed }
}

/** `VirtualKey default/demo`, as far as the document says it. */
function describeResource(value: unknown): string {
  if (!isRecord(value) || typeof value['kind'] !== 'string') return ''
  const metadata = isRecord(value['metadata']) ? value['metadata'] : {}
  const { name, namespace } = metadata
  const prefix = typeof namespace === 'string' && namespace !== '' ? `${namespace}/` : ''
  return `${value['kind']}${typeof name === 'string' ? ` ${prefix}${name}` : ''}`.slice(0, 160)
}
