/** Lines of a byte stream, each bounded: a file may hold anything. */

/** Far above an audit record; a longer line is left out. */
const MAX_LINE_CHARACTERS = 1024 * 1024

/** Without the line ends. A line that is too long is left out. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let line = ''
  let isTooLong = false
  for await (const chunk of input) {
    const pieces = decoder.decode(chunk, { stream: true }).split('\n')
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        if (!isTooLong) yield line
        line = ''
        isTooLong = false
      }
      isTooLong ||= line.length + piece.length > MAX_LINE_CHARACTERS
      line = isTooLong ? '' : line + piece
    }
  }
  if (line !== '') yield line
}
