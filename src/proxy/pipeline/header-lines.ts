/** Values of one header, in order, as they came. */

/** `name` in lower case; `rawHeaders` are names and values in turn. */
export function fieldLines(rawHeaders: readonly string[], name: string): string[] {
  const lines: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) lines.push(rawHeaders[index + 1] ?? '')
  }
  return lines
}
