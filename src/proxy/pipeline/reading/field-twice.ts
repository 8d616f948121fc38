/** Where a field stands twice: for the refusal, which is rare, so that reading costs nothing for it. */
import { endOfString, isFieldName, stringAt } from '../../../domain/json-text.ts'

/** Names that are shown: what fields of formats are called, and nothing that could be a secret. For others stands an asterisk. */
const PLAIN_NAME = /^[A-Za-z_$]{1,32}$/
/** Levels that are shown, the innermost. */
const MAX_LEVELS = 16

interface Level {
  /** Names so far; undefined in an array. */
  readonly names: Set<string> | undefined
  /** Of the field that is being read; empty: its name is still to come. */
  name: string
  /** Of the item that is being read. */
  index: number
}

/**
 * The path of the first field whose name its object has had before, as `messages[0].role`; undefined where none has.
 * @param text JSON that has been parsed before
 */
export function fieldTwice(text: string): string | undefined {
  const levels: Level[] = []
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1)
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at)
        if (level?.names !== undefined && isFieldName(text, end)) {
          level.name = stringAt(text, at, end)
          if (level.names.has(level.name)) return pathOf(levels)
          level.names.add(level.name)
        }
        at = end
        break
      }
      case '{':
        levels.push({ names: new Set(), name: '', index: 0 })
        break
      case '[':
        levels.push({ names: undefined, name: '', index: 0 })
        break
      case '}':
      case ']':
        levels.pop()
        break
      case ',':
        if (level !== undefined) level.index += 1
        break
      default:
    }
  }
  return undefined
}

function pathOf(levels: readonly Level[]): string {
  const innermost = levels.slice(-MAX_LEVELS)
  const path = innermost
    .map(({ names, name, index }) => (names === undefined ? `[${index}]` : `.${shown(name)}`))
    .join('')
  return (innermost.length < levels.length ? '...' : '') + path.replace(/^\./, '')
}

function shown(name: string): string {
  return PLAIN_NAME.test(name) ? name : '*'
}
