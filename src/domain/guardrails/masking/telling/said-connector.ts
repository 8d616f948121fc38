/** What says in words, or as a label does, that a value follows: `password for the VPN is`, `Password - `, `<td>Password</td><td>`. */
import { anyOf, ARROW, CLOSERS, ESCAPES, LABEL_END, NEXT_LINE, SPACING, VALUE_BEGIN } from './connector-parts.ts'

const IS =
  "(?:is|are|was|were|will be|should be|used to be|changed to|set to|reset to|became|becomes|reads|equals|to be|ist|war|lautet|sind|est|sont|es|son|é|è|e'|são|este|jest|je|to(?! [a-z]{3,20}(?: [a-z]{3,20})?:)|är|er|on(?! (?:\\S{1,64} ){1,3}(?:is|was)\\b| \\S{1,64}: )|olan|это|был|была|är|adalah|ialah|là|é:|są|isto é|είναι|है|היא|הוא|هي|هو)"
/** What some languages put behind the name: whose it is, and which. */
const WHICH =
  '(?: (?:mea|saya|anda|của tôi|của bạn|μου|σου|μας|שלי|שלך|temporal|provisional|inicial|actual|provisoire|temporaire|actuel|initial|provisóri[ao]|temporári[ao]|temporane[ao]|provvisori[ao]|iniziale|attuale|tymczasowe|такой))?'
const NOW =
  '(?: (?:now|set to|changed to|reset to|currently|still|just|simply|called|jetzt|ahora|agora|maintenant|been (?:changed|set|reset) to))'
/** That the value follows. */
const BELOW =
  'the following|as follows|below|here|wie folgt|le suivant|la siguiente|la seguente|a seguinte|als volgt|następujące|следующий'

/** In a text inside JSON no line's end. */
const LETTERS_OF_NAME = String.raw`(?:[^\s:=.,;!?"'\x60\\]|\\(?![nrt]))`
const LINK = String.raw`\[[^[\]\n]{1,40}\]\([^\s()]{1,120}\)`
/** Of a thing's name; in quotes, as code is in Markdown, too. None can be read in two ways: a row of them would be in a hundred. */
const WORD_OF_NAME = anyOf(
  // `Bob's`, `db1.example.org:5432`, `10.0.0.5`
  String.raw`(?!${LINK})${LETTERS_OF_NAME}{1,24}(?:(?:'${LETTERS_OF_NAME}{1,24}){1,2}|(?:\.${LETTERS_OF_NAME}{1,40}){1,6})?(?::\d{2,5}(?=[\s:]))?`,
  String.raw`${ESCAPES}["'\x60][^\s"'\x60\\]{1,64}${ESCAPES}["'\x60]`,
  String.raw`${ESCAPES}"[^\s"'\x60\\]{1,40} [^"\n\\]{1,40}${ESCAPES}"`,
  String.raw`[a-z]{2,8}://[^\s"'\x60<>]{1,120}`,
  LINK,
)
/** What stands before such a name; and what needs nothing before it (`Password wifi: ...`). */
const OF =
  'for|of|to|on|in|at|used by|für|fuer|fürs|im|beim|von|vom|zum|zur|de|del|des|du|da|do|à|para|pour|per|di|della|al|voor|van|op|dla|na|k|ke|za|för|til|till|på|hos|pentru|az|untuk|cho|για|στο|του|της|для|от|до|к|на|в|за|we use|you|i use|i have|that|que|che'
const THING = 'wi-?fi|wlan|vpn|rdp|ssh|ftp|root|admin|router|server|pc|nas'
/** Which secret it is: `password (old)`, `password #2`, `password for Bob's router`. */
const FOR = `${anyOf(
  String.raw` \([^()\n]{1,40}\)`,
  String.raw` \[[^[\]\n]{1,40}\]`,
  String.raw` #\d{1,2}`,
  String.raw`\(s\)`,
  String.raw` (?:${THING})(?![\w-])`,
  String.raw` (?:(?:${OF}) |@ ?|(?:d|dell|all|nell|sull)['\u2019])${WORD_OF_NAME}(?: ${WORD_OF_NAME}){0,6}?`,
)}?`

/** Of a table, `<td>Password</td><td>...`, or an element of one word behind the name's. The cell's own tags may have been read as what closes the name. */
const NEXT_CELL = `${anyOf(
  String.raw`(?:</(?:div|p)>)?${NEXT_LINE}<(?:div|p|span|code|b|strong|i|em)(?: [^<>\n]{0,60})?>(?![A-Za-z_]{1,64}\d{0,2}<|[^<>]{0,64}&nbsp;)(?=[^\s<>]{4,64}${SPACING}{0,4}</)`,
  String.raw`(?<=</t[dh]>\s{0,8}<td>)`,
  String.raw`(?:${NEXT_LINE}</(?:t[dh]|dt)>)?${NEXT_LINE}<(?:td|dd)(?: [^<>\n]{0,60})?>`,
)}${NEXT_LINE}(?:<(?:b|strong|code|span)>)?`

/** A blank, but before an element. */
const BEHIND_SIGN = `(?:${SPACING}{1,4}|(?=<))`

export const SAID = new RegExp(
  [
    CLOSERS,
    WHICH,
    FOR,
    anyOf(
      String.raw`,? (?:is|was|has been) (?:generated|created|set) for [^\s:]{1,64}: `,
      String.raw`,? ${IS}(?: (?:${BELOW})(?=\s?:)|${NOW}?)\s?:?${LABEL_END}${BEHIND_SIGN}`,
      String.raw`${NOW}\s?:${LABEL_END}${BEHIND_SIGN}`,
      String.raw`\s?(?:[:=\u2013\u2014]|${ARROW}|[-=]>)${SPACING}{1,4}`,
      ' - ',
      String.raw`(?:は|是|为|為|는|은|：)\s{0,2}`,
      NEXT_CELL,
    ),
    VALUE_BEGIN,
  ].join(''),
  'iy',
)
