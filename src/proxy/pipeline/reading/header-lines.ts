/** Reading a request's header fields: names and values in turn, as they came. */

/** Whether a field's name, in any case, is `name` in lower case. Most names differ in length, and cost nothing. */
export function isField(field: string, name: string): boolean {
  return field.length === name.length && field.toLowerCase() === name
}

/** Values of one header, in order. `name` in lower case; `rawHeaders` are names and values in turn. */
export function fieldLines(rawHeaders: readonly string[], name: string): string[] {
  const lines: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (isField(rawHeaders[index] ?? '', name)) lines.push(rawHeaders[index + 1] ?? '')
  }
  return lines
}
