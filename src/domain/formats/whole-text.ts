import type { StreamTextRewriter } from './format.ts'
import { TextWalk } from './text-walk.ts'

const CHANNEL = 'whole'

/** Walks over texts that stand whole in one event of a stream: nothing of them is held back. */
export function wholeTextWalk(rewriter: StreamTextRewriter): TextWalk {
  return new TextWalk(({ text }) => rewriter.push(CHANNEL, 'text', text) + rewriter.flush(CHANNEL))
}
