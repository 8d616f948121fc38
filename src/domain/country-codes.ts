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
