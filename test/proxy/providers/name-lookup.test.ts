/** Names are asked for once, however many connections wait for the answer. */
import t from 'tap'
import type { LookupAddress } from 'node:dns'
import { askedOnce, oneAddressMs, type AddressesOf } from '../../../src/proxy/providers/name-lookup.ts'

const ADDRESSES: LookupAddress[] = [{ address: '192.0.2.1', family: 4 }]

function resolver() {
  const questions: { name: string; answer: Parameters<AddressesOf>[2] }[] = []
  const lookUp = askedOnce((name, _options, answer) => void questions.push({ name, answer }))
  const told: string[] = []
  const ask = (name: string, family = 0) =>
    lookUp(
      name,
      { all: true, family },
      (error, addresses) => void told.push(error?.code ?? addresses[0]?.address ?? ''),
    )
  return { questions, told, ask }
}

t.test('who asks while a question is on its way gets its answer, be it none', async (t) => {
  const { questions, told, ask } = resolver()
  for (const _ of [1, 2, 3]) ask('provider.test')
  t.equal(questions.length, 1)
  questions[0]?.answer(null, ADDRESSES)
  t.same(told, ['192.0.2.1', '192.0.2.1', '192.0.2.1'])
  for (const _ of [1, 2]) ask('provider.test')
  t.equal(questions.length, 2, 'an answer is not remembered')
  questions[1]?.answer(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }), [])
  t.same(told.slice(3), ['EAI_AGAIN', 'EAI_AGAIN'])
})

t.test('another name, or another kind of address, is another question', async (t) => {
  const { questions, told, ask } = resolver()
  ask('frozen.test')
  ask('provider.test')
  ask('provider.test', 4)
  t.same(
    questions.map(({ name }) => name),
    ['frozen.test', 'provider.test', 'provider.test'],
  )
  questions[1]?.answer(null, ADDRESSES)
  t.same(told, ['192.0.2.1'])
})

t.test(
  'one of several addresses is tried for a tenth of the connect clock, as whole milliseconds that Node takes',
  async (t) => {
    const cases: [number, number][] = [
      [5_000, 500],
      [1_234, 124],
      [1, 10],
      [1e12, 10_000],
    ]
    for (const [connectMs, expected] of cases) t.equal(oneAddressMs(connectMs), expected)
  },
)
