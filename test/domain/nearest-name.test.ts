import t from 'tap'
import { nearest } from '../../src/domain/nearest-name.ts'

t.test('a wrong name is near what one slip, or two in a longer one, makes of a known name', async (t) => {
  const known = ['redis', 'log-level', 'listen', 'listen-grpc', 'ca']
  const cases: [string, string | undefined][] = [
    ['redsi', 'redis'],
    ['erdis', 'redis'],
    ['rdis', 'redis'],
    ['reddis', 'redis'],
    ['radis', 'redis'],
    ['LISTN', 'listen'],
    ['loglvel', 'log-level'],
    ['listen-gprc', 'listen-grpc'],
    ['ac', 'ca'],
    ['rdsi', undefined],
    ['', undefined],
    ['redis'.repeat(20), undefined],
  ]
  for (const [wrong, meant] of cases) t.equal(nearest(wrong, known), meant, wrong)
})

t.test('of names equally near it is the first; one that differs in case only is nearer than all', async (t) => {
  t.equal(nearest('listem', ['listed', 'listen']), 'listed')
  t.equal(nearest('LISTEN', ['listed', 'listen']), 'listen')
  t.equal(nearest('abcdefghi', ['abcdefxyz', 'abcdefghij']), 'abcdefghij')
  t.equal(nearest('abcdefghi', ['bacdfeghj', 'xbcxefgxx']), 'bacdfeghj')
})

t.test('a name that must not be told leaves the next one, and is asked about only where it is near', async (t) => {
  const asked: string[] = []
  const mayTell = (name: string) => asked.push(name) > 0 && name !== 'listen'
  t.equal(nearest('listem', ['redis', 'listen', 'listed'], mayTell), 'listed')
  t.strictSame(asked, ['listen', 'listed'])
  t.equal(
    nearest('listem', ['listen'], () => false),
    undefined,
  )
})

t.test('names of up to 128 characters are compared, such as those of models', async (t) => {
  const name = 'a-model-'.repeat(16)
  const slips = [
    name.slice(1),
    `${name.slice(0, 60)}${name.slice(61)}`,
    `${name.slice(0, -2)}--`,
    `b-model-${name.slice(8)}`,
  ]
  for (const wrong of slips) t.equal(nearest(wrong, ['b', 'a-model', `${name}${name}`, name]), name, wrong)
  t.equal(nearest(`xyz${name.slice(0, 120)}xyz`, [name]), undefined)
  t.equal(nearest(`${name}x`, [name]), undefined)
})
