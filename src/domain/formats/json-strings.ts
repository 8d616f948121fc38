/**
 * Visits the strings inside JSON text without parsing it into values: what is not changed keeps its bytes, so that
 * long integers, number formats, duplicate keys and spaces survive (a parse and a stringify would round 64-bit ids).
 */
import { endOfString } from '../json-text.ts'

/**
 * Replaces each string value (object keys excepted) by what `visit` returns for the decoded string. Text that is not
 * valid JSON is visited as one plain text.
 */
export function rewriteJsonStrings(text: string, visit: (decoded: string) => string): string {
  if (text === '') return text
  if (!isJson(text)) return visit(text)
  let rewritten = ''
  let copied = 0
  for (let open = text.indexOf('"'); open !== -1;) {
    const close = endOfString(text, open)
    if (!isKey(text, close)) {
      const decoded = decode(text.slice(open, close + 1))
      const replacement = visit(decoded)
      if (replacement !== decoded) {
        rewritten += text.slice(copied, open) + JSON.stringify(replacement)
        copied = close + 1
      }
    }
    open = text.indexOf('"', close + 1)
  }
  return copied === 0 ? text : rewritten + text.slice(copied)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isKey(text: string, close: number): boolean {
  let next = close + 1
  while (next < text.length && ' \t\r\n'.includes(text.charAt(next))) next += 1
  return text[next] === ':'
}

function decode(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}
