import t, { type Test } from 'tap'
import { createDetector } from '../../../../src/domain/guardrails/masking/detector.ts'

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
