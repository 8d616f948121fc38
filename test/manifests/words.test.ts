import t from 'tap'
import { nearest } from '../../src/manifests/words.ts'

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
