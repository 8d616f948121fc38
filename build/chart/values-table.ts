/** The table of values in docs/helm.md, from values.yaml: each value is described by the comment line `# -- ` above it. */
import { isMap, isScalar, parseDocument, type Document, type Node } from 'yaml'

const BEGIN = '<!-- values: made by `make charts` -->'
const END = '<!-- end of values -->'
const MARK = '-- '

/** @throws Error where the page has no place for the table, or a value has no description */
export function insertValuesTable(page: string, values: string): string {
  const [before, rest] = splitOnce(page, BEGIN)
  const [, after] = splitOnce(rest, END)
  return `${before}${BEGIN}\n\n${renderTable(values)}\n\n${END}${after}`
}

/** Path, default and description of each value. @throws Error that names a value without a description */
export function describedValues(
  text: string,
): readonly (readonly [path: string, value: string, description: string])[] {
  const document = parseDocument(text)
  return rowsOf(document, document.contents, [])
}

function renderTable(values: string): string {
  const rows = describedValues(values).map(
    ([path, value, text]) => `| \`${path}\` | ${value} | ${text.replaceAll('|', '\\|')} |`,
  )
  return ['| Value | Default | |', '|---|---|---|', ...rows].join('\n')
}

type Rows = (readonly [string, string, string])[]

function rowsOf(document: Document, node: Node | null, path: readonly string[]): Rows {
  if (!isMap(node)) return []
  return node.items.flatMap((pair, index): Rows => {
    const { key, value } = pair
    if (!isScalar(key)) return []
    const name = [...path, String(key.value)]
    // The comment of a map's first entry is attached to the map.
    const comment = descriptionIn(key.commentBefore) ?? (index === 0 ? descriptionIn(node.commentBefore) : undefined)
    if (comment !== undefined) return [[name.join('.'), show(document, value), comment]]
    if (isMap(value) && value.items.length > 0) return rowsOf(document, value, name)
    throw new Error(`values.yaml: ${name.join('.')} has no description (a comment line "# ${MARK}...")`)
  })
}

function descriptionIn(comment: string | null | undefined): string | undefined {
  const lines = (comment ?? '').split('\n').map((line) => line.trim())
  return lines.findLast((line) => line.startsWith(MARK))?.slice(MARK.length)
}

function show(document: Document, value: unknown): string {
  const json: unknown =
    value instanceof Object && 'toJS' in value && typeof value.toJS === 'function' ? value.toJS(document) : value
  const text = JSON.stringify(json)
  return text === '""' || text === '[]' || text === '{}' ? '' : `\`${text.replaceAll('|', '\\|')}\``
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  if (at < 0) throw new Error(`docs/helm.md lacks the line ${mark}`)
  return [text.slice(0, at), text.slice(at + mark.length)]
}
