import t from 'tap'
import { forwardProxyOf } from '../../../src/proxy/providers/environment-proxy.ts'

const PROXY = 'http://proxy.test:3128/'

/** Those of `urls` that are reached directly. */
function direct(noProxy: string, urls: readonly string[]): string[] {
  const proxyOf = forwardProxyOf({ HTTPS_PROXY: PROXY, NO_PROXY: noProxy })
  return urls.filter((url) => proxyOf(new URL(url)) === undefined)
}

t.test('https goes through it, in either spelling, the lower one first, with or without a scheme', async (t) => {
  const [secure, plain] = [new URL('https://api.test'), new URL('http://api.test')]
  const upper = forwardProxyOf({ HTTPS_PROXY: 'proxy.test:3128' })
  t.same([upper(secure), upper(plain)], [PROXY, undefined])
  const lower = forwardProxyOf({ https_proxy: ' https://user:p%40ss@proxy.test ', HTTPS_PROXY: PROXY })
  t.equal(lower(secure), 'https://user:p%40ss@proxy.test/')
  const none = forwardProxyOf({ https_proxy: '', HTTPS_PROXY: ' ', HTTP_PROXY: PROXY, ALL_PROXY: PROXY })
  t.same([none(secure), none(plain)], [undefined, undefined])
})

t.test('what is no proxy is refused by name, without the text', async (t) => {
  for (const wrong of ['socks5://u:secret@h', 'ftp://secret', 'http://', 'http://a b.secret', 'http://h:99999'])
    t.throws(() => forwardProxyOf({ HTTPS_PROXY: wrong }), {
      message: 'HTTPS_PROXY must be the http or https URL of a forward proxy',
    })
})

t.test('this machine is reached directly', async (t) => {
  const here = ['https://localhost:1', 'https://a.localhost.', 'https://127.9.9.9', 'https://[::1]:8443']
  t.same(direct('', [...here, 'https://localhost.test', 'https://128.0.0.1']), here)
})

t.test('NO_PROXY names names, addresses and ranges, with or without a port', async (t) => {
  const urls = [
    'https://api.test',
    'https://api.test.:8443',
    'https://eu.api.test',
    'https://myapi.test',
    'https://10.1.2.3',
    'https://10.1.2.3:8000',
    'https://11.1.2.3',
    'https://[fd00::7]:8000',
    'https://[fd01::7]',
  ]
  const cases: [string, string[]][] = [
    ['', []],
    ['*', urls],
    ['api.test', ['https://api.test', 'https://api.test.:8443', 'https://eu.api.test']],
    ['API.Test', ['https://api.test', 'https://api.test.:8443', 'https://eu.api.test']],
    ['.api.test', ['https://eu.api.test']],
    ['*.api.test', ['https://eu.api.test']],
    ['api.test:443', ['https://api.test', 'https://eu.api.test']],
    ['api.test:8443', ['https://api.test.:8443']],
    ['api.test:80', []],
    ['10.1.2.3', ['https://10.1.2.3', 'https://10.1.2.3:8000']],
    ['10.1.2.3:8000', ['https://10.1.2.3:8000']],
    ['10.0.0.0/8', ['https://10.1.2.3', 'https://10.1.2.3:8000']],
    ['10.0.0.0/33 , 10.0.0.0/x, /, [, :80, ::, a:b:c', []],
    ['10.0.0.0/, 11.0.0.0/-1, 10.0.0.0/8;11.0.0.0/8, 10.0.0.0/8.0, 10.0.0.0/0x8', []],
    ['::/0', ['https://[fd00::7]:8000', 'https://[fd01::7]']],
    ['0.0.0.0/0', ['https://10.1.2.3', 'https://10.1.2.3:8000', 'https://11.1.2.3']],
    ['api.test.', ['https://api.test', 'https://api.test.:8443', 'https://eu.api.test']],
    ['api.test.:443', ['https://api.test', 'https://eu.api.test']],
    ['fd00::/16', ['https://[fd00::7]:8000']],
    ['FD00:0::7', ['https://[fd00::7]:8000']],
    ['[fd00::7]', ['https://[fd00::7]:8000']],
    ['[fd00::7]:8000', ['https://[fd00::7]:8000']],
    ['[fd00::7]:80', []],
    ['nothing.test,  .api.test ,,11.0.0.0/8', ['https://eu.api.test', 'https://11.1.2.3']],
  ]
  for (const [noProxy, expected] of cases) t.same(direct(noProxy, urls), expected, noProxy)
})
