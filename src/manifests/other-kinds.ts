/** What is said of a document whose kind is not read here: another product's, or a slip in the name of one of ours. */
import { nearest } from '../domain/nearest-name.ts'
import { API_GROUP, API_VERSION } from '../domain/resources/kinds.ts'
import type { FieldProblem } from './problem.ts'
import { didYouMean } from './validation/words.ts'

const KINDS: readonly string[] = ['VirtualKey', 'Provider', 'Organization']
const CORE_KINDS: readonly string[] = ['Secret', 'Namespace']

/** Why it is passed over. A kind of ours under another group may be a slip, or another product's. */
export function ignored(apiVersion: string, kind: string): string {
  const ours = KINDS.includes(kind) ? ` (its ${kind} is ${API_VERSION})` : ''
  return `${apiVersion} ${kind} is not of this gateway${ours} and is ignored`
}

/** Whether it has the name of a kind of ours, nearly our group, or nearly the name of a core kind that is read. */
export function isSlip(apiVersion: string, kind: string): boolean {
  const [group = ''] = apiVersion.split('/')
  const isCore = apiVersion === 'v1' && nearest(kind, CORE_KINDS) !== undefined
  return KINDS.includes(kind) || isCore || nearest(group, [API_GROUP]) !== undefined
}

/** Of a kind under our own group. */
export function unknownKind(apiVersion: string, kind: string): FieldProblem {
  if (CORE_KINDS.includes(kind)) return { path: ['apiVersion'], message: `${kind} is v1`, allowed: 'v1' }
  if (apiVersion !== API_VERSION)
    return { path: ['apiVersion'], message: `${apiVersion.slice(0, 64)} is not a served version`, allowed: API_VERSION }
  const message = `unknown kind ${kind.slice(0, 64)}${didYouMean(kind, KINDS)}`
  return { path: ['kind'], message, allowed: KINDS.join(', ') }
}
