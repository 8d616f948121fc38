/** Texts that once took many times their size: each in a process whose heap is a sidecar's, which they would end. */
import { spawnSync } from 'node:child_process'
import t from 'tap'

const SOURCE = new URL('../../src/', import.meta.url)

/** Each is the body of an async function to which modules of src are imported by `load`. */
const CASES: Readonly<Record<string, string>> = {
  'base64 of addresses': `
    const { standardBase64 } = await load('domain/formats/base64.ts')
    return standardBase64('_-'.repeat(4.5e6)).length === 9e6`,
  'a name of underscores': `
    const { camelOf } = await load('domain/formats/generate-content/spelling.ts')
    return camelOf('_a'.repeat(4.5e6)).length === 9e6`,
  'an id of points': `
    const { renderToolResult } = await load('domain/formats/messages/block-translate.ts')
    return renderToolResult({ toolCallId: '.'.repeat(9e6), content: [] }, '', []).tool_use_id.length === 9e6`,
  'arguments of brackets': `
    const { inputOf } = await load('domain/formats/messages/block-translate.ts')
    const { isJson } = await load('domain/json-parse.ts')
    const { InnerJson } = await load('domain/formats/inner-json.ts')
    const text = '['.repeat(9e6)
    return 'invalid_json' in inputOf({ arguments: text }, '', [], new InnerJson()) && !isJson(text)`,
  'arguments of empty objects': `
    const { argumentsOf } = await load('domain/formats/generate-content/tool-arguments.ts')
    const { InnerJson } = await load('domain/formats/inner-json.ts')
    return '_raw_arguments' in argumentsOf('{"a":[' + '{},'.repeat(3e6) + '{}]}', new InnerJson()).args`,
  'empty objects in the arguments of many calls': `
    const { formatOf, renderRequestFor, renderResultFor } = await load('domain/formats/registry.ts')
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":[' + '{},'.repeat(21_000) + '{}]}' } }
    const message = { role: 'assistant', tool_calls: Array(150).fill(call) }
    const chat = formatOf('chat-completions')
    const request = chat.parseRequest({ model: 'm', messages: [message] }, {})
    const result = chat.parseResult({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
    return ['messages', 'generate-content'].every((name) =>
      [renderRequestFor(name, request, { model: 'm' }), renderResultFor(name, result, { request, model: 'm' })]
        .every(({ document, warnings }) => warnings.length > 100 && JSON.stringify(document).length > 9e6))`,
  "a schema's text of empty objects": `
    const { schemaForOthers } = await load('domain/formats/chat-completions/schema-fields.ts')
    return schemaForOthers({ guided_json: '{"enum":[' + '{},'.repeat(3e6) + '{}]}' }) === undefined`,
  'a long name of an answer': `
    const { parseResult } = await load('domain/formats/messages/result.ts')
    const content = Array.from({ length: 1000 }, () => ({ type: 'tool_use', name: 'f', input: {} }))
    const { id, model, choices } = parseResult({ id: 'x'.repeat(8e6), model: 'y'.repeat(8e6), content })
    return id.length === 256 && model.length === 256 && JSON.stringify(choices).length < 1e6`,
  vectors: `
    const { parseEmbeddingsResult, vectorAt } = await load('domain/formats/embeddings/result.ts')
    const vector = Array.from({ length: 1e6 }, (_, index) => index / 2)
    const written = parseEmbeddingsResult({ data: [{ embedding: vector }] }, 1, 'base64').document
    const read = vectorAt(written, 0)
    return read.length === 1e6 && read[3] === 1.5`,
  'values without end': `
    const { createDetector } = await load('domain/guardrails/masking/detector.ts')
    const { RedactionMap } = await load('domain/guardrails/masking/restoring/redaction-map.ts')
    const { takeAll } = await load('domain/steps.ts')
    const { re2PatternEngine } = await load('proxy/guardrails/re2-pattern-engine.ts')
    const custom = [{ kind: 'X', pattern: re2PatternEngine.compile('X[0-9]') }]
    const mails = Array.from({ length: 700_000 }, (_, index) => index.toString(36) + '@b.co').join(' ')
    const secrets = Array.from({ length: 400_000 }, (_, index) => 'password=' + index.toString(36) + 'Xq9!').join(' ')
    return [mails, secrets, 'a@b.co '.repeat(1.3e6), 'X1'.repeat(4.5e6)].every((text) => {
      const map = new RedactionMap({ detector: createDetector({ kinds: new Set(), custom }), tokenSuffix: () => 'x' })
      try {
        takeAll(map.maskInSteps(text))
        return false
      } catch (error) {
        return error.code === 'request_too_large'
      }
    })`,
  'a value that comes back thousands of times': `
    const { createDetector } = await load('domain/guardrails/masking/detector.ts')
    const { RedactionMap } = await load('domain/guardrails/masking/restoring/redaction-map.ts')
    const map = new RedactionMap({ detector: createDetector({ kinds: new Set(), custom: [] }), tokenSuffix: () => 'abcdefgh' })
    const key = '-----BEGIN PRIVATE KEY-----\\n' + ('A'.repeat(64) + '\\n').repeat(400) + '-----END PRIVATE KEY-----'
    const token = map.mask(key)
    const restored = map.restore((token + ' ').repeat(5000))
    return restored.startsWith(key) && restored.endsWith(token + ' ') && restored.length < 10e6`,
}

for (const [name, body] of Object.entries(CASES)) {
  t.test(name, (t) => {
    const script = `const load = (path) => import(new URL(path, ${JSON.stringify(SOURCE.href)}).href)
      const works = await (async () => {${body}})()
      process.exit(works ? 0 : 3)`
    const { status, signal, stderr } = spawnSync(
      process.execPath,
      ['--max-old-space-size=128', '--max-semi-space-size=8', '--input-type=module', '-e', script],
      // The test runner's own, by which it writes files in every process.
      { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
    )
    t.strictSame({ status, signal }, { status: 0, signal: null }, stderr.slice(0, 500))
    t.end()
  })
}

t.test('a hundred thousand results in a row are one message, in no time that grows with their square', async (t) => {
  const { formatOf, renderRequestFor } = await import('../../src/domain/formats/registry.ts')
  const results = Array.from({ length: 99_000 }, () => ({ role: 'tool', tool_call_id: 'c', content: 'a' }))
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const document = {
    model: 'm',
    messages: [{ role: 'user', content: 'x' }, { role: 'assistant', tool_calls: [call] }, ...results],
  }
  const request = formatOf('chat-completions').parseRequest(document, {})
  const rendered = renderRequestFor('generate-content', request, {
    model: 'm',
    maxOutputTokens: undefined,
    defaultMaxOutputTokens: undefined,
    stream: false,
    outputLimitField: 'max_tokens',
  })
  t.equal((rendered.document.contents as unknown[]).length, 3)
})
