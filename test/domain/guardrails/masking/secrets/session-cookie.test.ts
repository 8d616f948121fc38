import t, { type Test } from 'tap'
import { createDetector } from '../../../../../src/domain/guardrails/masking/detector.ts'

const detector = createDetector({ kinds: new Set(), custom: [] })

const found = (text: string): string[] => [...detector.detect(text)].map(({ start, end }) => text.slice(start, end))

const LISTS: readonly (readonly [before: string, after: string])[] = [
  ['Cookie: ', ''],
  ['Cookie: theme=dark; ', '; lang=en'],
  ['Set-Cookie: ', '; Path=/; HttpOnly'],
  ['"Cookie": "lang=en; ', '; theme=dark"'],
  ["document.cookie = 'lang=en; ", "'"],
  ['curl -b "lang=en; ', '" https://shop.example'],
  ['curl --cookie "', '" https://shop.example'],
  ['curl -b ', ' https://shop.example'],
  ['Host: shop.example\nCookie: a=1; b=2; ', '\nAccept: */*'],
]
const VALUES = [
  '298zf09hf012fh2',
  '5D41402ABC4B2A76B9719D911017C592',
  '5d41402abc4b2a76b9719d911017c592',
  '5d41402abc4b2a76',
  '5d41402abc4b',
  '38afes7a8',
  '5lwl2r45nvq0y4afg4mkzz55',
  '550e8400-e29b-41d4-a716-446655440000-6ba7b810-9dad-11d1-80b4-00c04fd430c8',
]

function maskedInLists(t: Test, name: string): void {
  for (const [before, after] of LISTS)
    for (const value of VALUES) {
      const text = `${before}${name}=${value}${after}`
      t.ok(
        found(text).some((secret) => secret.includes(value)),
        text,
      )
    }
}

t.test("a session's cookie is masked wherever it stands in a list of cookies, however plain", async (t) => {
  for (const name of ['PHPSESSID', 'JSESSIONID', 'sessionid', 'session', 'sid', '_shop_session', 'ASP.NET_SessionId'])
    maskedInLists(t, name)
})

const LOGINS: readonly string[] = [
  'remember_me',
  'remember-me',
  'rememberMe',
  'REMEMBERME',
  'shop_remember_me',
  'remember_token',
  'remember_user_token',
  `remember_web_${'59ba36addc'.repeat(4)}`,
  '.AspNetCore.Identity.Application',
  '.AspNetCore.CookiesC1',
  '.ASPXAUTH',
  `wordpress_logged_in_${'5d41402a'.repeat(4)}`,
  'userRememberMe',
  `remember_admin_user_${'59ba36addc'.repeat(4)}`,
  '__Secure-.AspNetCore.Identity.Application',
  '.AspNetCore.Identity.External',
  '.AspNetCore.Identity.TwoFactorUserId',
  '.AspNetCore.Identity.TwoFactorRememberMe',
  '.AspNet.ApplicationCookie',
  '.AspNet.Cookies',
  `wordpress_${'5d41402a'.repeat(4)}`,
  '_gitlab_session',
]

t.test("the cookie of a login that lasts is masked like a session's", async (t) => {
  for (const name of LOGINS) maskedInLists(t, name)
})

t.test('elsewhere than in a list of cookies such a name says nothing, and in one nothing of words', async (t) => {
  for (const text of [
    'Cookie: remember_me=true; theme=dark',
    'Cookie: remember-me=1; a=b',
    'Cookie: rememberMe=dark-mode; consent=yes-2024',
    'Set-Cookie: remember_me=; Max-Age=0',
    'remember_me=5d41402abc4b2a76',
    'const remember_me=checkbox1024',
    'document.cookie = "remember_me=" + value',
    'POST /login?rememberMe=38afes7a8',
    'Identity.Application=5d41402abc4b2a76',
    'Cookie: a=b\nremember_me=5d41402abc4b2a76',
  ])
    t.strictSame(found(text), [], text)
})

t.test('what is no session stays: other cookies, settings of a session, programs', async (t) => {
  for (const text of [
    'Cookie: session=enabled; theme=dark',
    'git checkout -b feature/session=abc123',
    'Cookie: session=dark-mode; consent=yes-2024',
    'Set-Cookie: session=; Max-Age=0',
    'Cookie: sid=session_cookie_value',
    'Cookie: session=${sessionId}; a=b',
    'document.cookie = "session=" + value',
    'cookie: { name: "session", maxAge: 3600 }',
    'app.use(session({ cookie: { sid: sessionId2 } }))',
    'sessionId: 5d41402abc4b2a76b9719d911017c592',
    'the list Cookie: a=b\nsession=5d41402abc4b2a76',
  ])
    t.strictSame(found(text), [], text)
})

const inJson = (text: string): string => JSON.stringify({ body: text })
const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
const dense = (value: unknown): string => JSON.stringify(value)
/** As browsers, their archives and add-ons, and what steers them write a cookie. */
function documents(name: string, value: string): readonly unknown[] {
  return [
    { cookies: { theme: 'dark1234', [name]: value, lang: 'en' } },
    {
      method: 'GET',
      cookies: [
        { name: 'theme', value: 'dark1234' },
        { name, value, path: '/' },
      ],
    },
    [
      {
        domain: 'x.org',
        hostOnly: false,
        httpOnly: true,
        name,
        path: '/',
        sameSite: 'lax',
        secure: true,
        session: false,
        storeId: '0',
        value,
      },
    ],
    [{ name, value, domain: 'x.org', path: '/', expires: -1, httpOnly: true, secure: true }],
    {
      headers: [
        { name: 'Accept', value: '*/*' },
        { name: 'Cookie', value: `theme=dark1234; ${name}=${value}` },
      ],
    },
    { headers: [{ name: 'set-cookie', value: `${name}=${value}; Path=/; HttpOnly` }] },
  ]
}

t.test("a session's and a login's cookie is masked in JSON that says that it is one", async (t) => {
  for (const name of ['sid', 'PHPSESSID', '__Host-session', 'remember_me', 'rememberMe'])
    for (const written of [pretty, dense, (value: unknown) => inJson(dense(value))])
      for (const text of documents(name, '38afes7a8').map((value) => written(value)))
        t.strictSame(
          found(text).map((secret) => secret.slice(-9)),
          ['38afes7a8'],
          text,
        )
})

t.test('the same as Python writes it', async (t) => {
  t.strictSame(found("{'cookies': {'theme': 'dark1234', 'remember_me': '38afes7a8'}}"), ['38afes7a8'])
  t.strictSame(found("[{'name': 'sid', 'value': '38afes7a8', 'httpOnly': True}]"), ['38afes7a8'])
})

t.test('elsewhere in JSON such a name says nothing', async (t) => {
  for (const value of [
    { remember_me: '38afes7a8', session: 'expanded1024' },
    { cookies: { theme: 'dark' }, remember_me: 'on1234x5' },
    { cookies: [{ name: 'theme', value: 'dark' }], origins: [{ name: 'session', value: 'expanded1024' }] },
    { headers: [{ name: 'X-Session', value: 'sid=38afes7a8' }] },
    { cookies: { remember_me: 'true', session: { type: 'string' } } },
    { cookie: { name: 'session', maxAge: '3600s' } },
  ])
    t.strictSame(found(pretty(value)), [], pretty(value))
})

const FILE = [
  '# Netscape HTTP Cookie File',
  '.shop.example\tTRUE\t/\tFALSE\t1799999999\ttheme\tdark1234',
  '#HttpOnly_shop.example\tFALSE\t/\tTRUE\t0\tNAME\t38afes7a8',
  'shop.example\tFALSE\t/cart\tTRUE\t1799999999.25\tlang\ten1234',
].join('\n')

t.test("in a file of cookies as curl writes it a session's and a login's are masked", async (t) => {
  for (const name of ['sid', 'JSESSIONID', '__Host-sid', 'remember_me', '.AspNetCore.Cookies', 'access_token'])
    for (const text of [FILE, FILE.replaceAll('\t', '   '), FILE.replaceAll('\n', '\r\n')])
      t.strictSame(found(text.replace('NAME', name)), ['38afes7a8'], `${name} ${text}`)
  t.strictSame(found('id\t7\tsid\t38afes7a8\nTRUE / TRUE 1799999999 remember_me 38afes7a8'), [])
})

t.test('rows of names of cookies are read in linear time', async (t) => {
  for (const piece of [
    '"sid":"',
    'cookies:{"sid":',
    '1\tsid\t',
    'a TRUE / TRUE 1 sid ',
    'httpOnly "sid" ',
    'cookie","value":"sid=',
  ])
    t.ok(found(piece.repeat(5000)))
})
