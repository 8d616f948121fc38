import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { loadManifests } from '../../src/manifests/load.ts'
import { formatProblem } from '../../src/manifests/problem.ts'

const FOLDER = new URL('../fixtures/manifests/', import.meta.url)
const EXPECTATION = /^# expect: (.*)$/m

function pathsOf(folder: string): string[] {
  const at = new URL(folder, FOLDER)
  return readdirSync(at).map((name) => new URL(name, at).pathname)
}

for (const path of pathsOf('invalid/')) {
  t.test(`${path.split('/').at(-1)} is refused for the reason that its head states`, async (t) => {
    const expected = EXPECTATION.exec(readFileSync(path, 'utf8'))?.[1] ?? 'a header `# expect:`'
    const result = loadManifests([path], {})
    if (result.type === 'loaded') return t.fail('it was loaded')
    const messages = result.problems.map(formatProblem)
    t.ok(
      messages.some((message) => message.includes(expected)),
      messages.join('\n'),
    )
    for (const message of messages) t.match(message, /^\S+\.yaml:[1-9][0-9]*: document [12]/)
  })
}

for (const path of [...pathsOf('valid/'), new URL('contract-examples.yaml', FOLDER).pathname]) {
  t.test(`${path.split('/').at(-1)} is loaded`, async (t) => {
    const result = loadManifests([path], {})
    t.equal(result.type, 'loaded', result.type === 'invalid' ? result.problems.map(formatProblem).join('\n') : '')
  })
}

t.test('the examples are valid', async (t) => {
  const folders = ['standalone'].map((name) => new URL(`../../examples/${name}`, import.meta.url).pathname)
  const result = loadManifests(folders, {})
  t.equal(result.type, 'loaded', result.type === 'invalid' ? result.problems.map(formatProblem).join('\n') : '')
})
