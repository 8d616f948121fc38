/** What is wrong in a manifest, and how that is written. */

export type FieldPath = readonly (string | number)[]

/** A fault inside a document. */
export interface FieldProblem {
  /** From the document's root; empty: the document itself. */
  readonly path: FieldPath
  readonly message: string
  /** What would be right, in words. */
  readonly allowed?: string
  /** No CEL rule is checked that may read what stands there; the API server then checks none at all. */
  readonly blocking?: boolean
}

/** A fault with its place. */
export interface ManifestProblem {
  readonly file: string
  /** From 1; 0 where the file could not be read. */
  readonly line: number
  /** From 1, empty documents not counted; 0 where the fault is the file's. */
  readonly document: number
  /** `VirtualKey default/demo`, or empty where unknown. */
  readonly resource: string
  /** `spec.models[0].name`, or empty. */
  readonly path: string
  readonly message: string
  readonly allowed?: string
}

/** What stands behind a name where the blank behind the colon, or the colon, was left out within braces: `{key:hunter2}` is one name. */
const VALUE = /[:=\s"'].*/s

/** `spec.models[0].name`; a field that is no plain word is quoted: `metadata.labels["a/b"]`. Without what may be a value. */
export function formatPath(path: FieldPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(part)) return text === '' ? part : `${text}.${part.slice(0, 64)}`
    return `${text}[${JSON.stringify(part.replace(VALUE, '...').slice(0, 64))}]`
  }, '')
}

/** `file:line: document 2 VirtualKey default/demo: spec.project: message; allowed: ...`; without a line where the file could not be read. */
export function formatProblem(problem: ManifestProblem): string {
  const place = problem.document === 0 ? '' : ` document ${problem.document}`
  const line = problem.line === 0 ? '' : `:${problem.line}`
  const head = `${problem.file}${line}:${place}${problem.resource === '' ? '' : ` ${problem.resource}`}`
  const path = problem.path === '' ? '' : ` ${problem.path}:`
  const allowed = problem.allowed === undefined ? '' : `; allowed: ${problem.allowed}`
  return `${head.endsWith(':') ? head : `${head}:`}${path} ${problem.message}${allowed}`
}
