import t from 'tap'
import { parseCelUrl } from '../../../src/manifests/validation/cel-url.ts'

t.test('URLs are read as the API server reads them', async (t) => {
  const cases: readonly [string, string, string][] = [
    ['https://api.mistral.ai/v1', 'https', 'api.mistral.ai'],
    ['HTTPS://Example.com:8443/v1', 'https', 'Example.com'],
    ['https://[2001:db8::1]:8443/v1', 'https', '2001:db8::1'],
    ['https://me:pass@example.com/', 'https', 'example.com'],
    ['https:///v1', 'https', ''],
    ['/v1', '', ''],
    ['mailto:x', 'mailto', ''],
  ]
  for (const [text, scheme, hostname] of cases) t.match(parseCelUrl(text), { scheme, hostname }, text)
})

t.test('what Go refuses is refused', async (t) => {
  for (const text of [
    '',
    'example.com/v1',
    'https://exa mple.com',
    'https://a:b/',
    'https://[::1/',
    'https://a/%zz',
    'https://a\n/',
    ':x',
  ]) {
    t.equal(parseCelUrl(text), undefined, text)
  }
})
