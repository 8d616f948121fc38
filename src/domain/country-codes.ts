/**
 * ISO 3166-1 alpha-2, as of 2026, with the codes that it reserves for others' use (`eu`, `uk`, ...) and those that it leaves to
 * users (`xk`, a company's own `xa`): what a provider's manifest may sensibly state. A mistyped country must not be one that
 * nobody excludes.
 * @see https://www.iso.org/obp/ui/#search
 */
const ASSIGNED =
  'ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ' +
  'ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn ' +
  'gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li ' +
  'lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om ' +
  'pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td ' +
  'tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw'
const RESERVED = 'ac cp cq dg ea eu ez fx ic su ta uk un'
const LEFT_TO_USERS = /^(?:aa|q[m-z]|x[a-z]|zz)$/

const CODES: ReadonlySet<string> = new Set(`${ASSIGNED} ${RESERVED}`.split(' '))

/** Whether `code`, in lower case, is a country's. */
export function isCountry(code: string): boolean {
  return CODES.has(code) || LEFT_TO_USERS.test(code)
}

/** What more than one code may mean: the union, and those of it with its currency (as of 2026). */
const UNION = 'at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk'.split(' ')
const WITHOUT_EURO: ReadonlySet<string> = new Set(['cz', 'dk', 'hu', 'pl', 'ro', 'se'])
const GROUPS: readonly (readonly [code: string, members: readonly string[]])[] = [
  ['eu', [...UNION, 'ez']],
  ['ez', UNION.filter((code) => !WITHOUT_EURO.has(code))],
  // The United Kingdom is `gb`, and `uk` to many.
  ['uk', ['gb']],
]

/**
 * The codes by which a place that is said to be in one of `countries` may be meant: whoever states `eu` may be in each of its
 * countries, and who states one of these is in `eu`. `countries` itself where there are no others.
 */
export function codesMeaning(countries: readonly string[]): readonly string[] {
  const others = GROUPS.flatMap(([code, members]) => {
    if (countries.includes(code)) return members
    return members.some((member) => countries.includes(member)) ? [code] : []
  })
  return others.length === 0 ? countries : [...countries, ...others]
}
