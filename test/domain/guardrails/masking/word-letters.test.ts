import fc from 'fast-check'
import t from 'tap'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'
import { KEY_PREFIXES } from '../../../../src/domain/guardrails/masking/key-prefixes.ts'
import { HEAD_LETTERS, mayBeginKey } from '../../../../src/domain/guardrails/masking/prefixed-key.ts'
import { mayEndTelling, mayTell } from '../../../../src/domain/guardrails/masking/telling-name.ts'
import { addLetter, ignoreCase, LetterSet } from '../../../../src/domain/guardrails/masking/word-letters.ts'

function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters = addLetter(letters, word.charCodeAt(at))
  return letters
}

t.test('a set has what was added to it, and little else', async (t) => {
  const set = new LetterSet()
  const words = Array.from({ length: 1000 }, (_, index) => lettersOf(`a${index}`))
  for (const word of words) set.add(word)
  t.ok(words.every((word) => set.mayHave(word)))
  const others = Array.from({ length: 1000 }, (_, index) => lettersOf(`b${index}`))
  t.ok(others.filter((word) => set.mayHave(word)).length < 100)
})

t.test('upper and lower case of a word are one, beside letters of other scripts too', async () => {
  const letter = fc.constantFrom(...'azAZmMéßþжЖ密')
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 8 }), (word) => {
      const text = word.join('')
      const upper = text.replace(/[a-z]/g, (ascii) => ascii.toUpperCase())
      return ignoreCase(lettersOf(text)) === ignoreCase(lettersOf(upper))
    }),
  )
})

t.test('every prefix of a key is asked about', async (t) => {
  for (const [, prefixes] of KEY_PREFIXES) {
    for (const prefix of prefixes.split(' ')) {
      const head = /^\w*/.exec(prefix)?.[0].slice(0, HEAD_LETTERS) ?? ''
      t.ok(mayBeginKey(lettersOf(head)), prefix)
    }
  }
})

t.test('every word of letters that tells is asked about', async () => {
  const endings = fc.constantFrom('key', 'PIN', 'Passwd', 'token', 'pw', 'sid', 'pwd', 'пароль', 'clé', 'Bearer', 'jwt')
  const before = fc.array(fc.constantFrom(...'aEnZéж'), { maxLength: 6 })
  fc.assert(
    fc.property(before, endings, (letters, ending) => {
      const word = letters.join('') + ending
      return !mayTell(word, word.length) || mayEndTelling(ignoreCase(lettersOf(word)))
    }),
  )
})

t.test('a word is judged whole where a rule has gone on in its midst', async (t) => {
  const detector = createDetector({ kinds: new Set(), custom: [] })
  const key = `sk_${'0123456789abcdef'.repeat(2)}`
  for (const text of [`${key}_api_key=Xy12Zk98Qw34Rt56`, `${key}\\npassword=Xy12Zk98`, `x %20password=Xy12Zk98`])
    t.ok(
      detector.detect(text).some(({ end }) => end === text.length),
      text,
    )
})
