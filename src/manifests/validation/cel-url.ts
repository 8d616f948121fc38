/**
 * The URL functions that Kubernetes adds to CEL (`isURL`, `url(x).getScheme()`, `.getHostname()`), following Go's
 * `url.ParseRequestURI`, which the API server calls. Not `new URL`: WHATWG repairs what Go refuses.
 * Known limits: the rules of Go for zone ids in IPv6 addresses are not followed.
 */

export class CelUrl {
  readonly scheme: string
  /** Without brackets and port; empty where there is none. */
  readonly hostname: string

  constructor(scheme: string, hostname: string) {
    this.scheme = scheme
    this.hostname = hostname
  }
}

// The control characters: everything below U+0020, and U+007F. A space is refused in the host only.
const CONTROL = /[^\u0020-\u007e\u0080-\u{10ffff}]/u
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s
const AUTHORITY = /^\/\/([^/?]*)/
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/
const HOST_CHARACTERS = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"\u0080-\uffff]*$/

/** The URL, or undefined where Go would refuse it: an absolute URI or an absolute path is accepted. */
export function parseCelUrl(text: string): CelUrl | undefined {
  if (text === '' || CONTROL.test(text) || BAD_ESCAPE.test(text.split('?')[0] ?? '')) return undefined
  const [, scheme = '', rest = text] = SCHEME.exec(text) ?? []
  if (!rest.startsWith('/')) return scheme === '' ? undefined : new CelUrl(scheme.toLowerCase(), '')
  const authority = scheme === '' ? undefined : AUTHORITY.exec(rest)?.[1]
  if (authority === undefined) return new CelUrl(scheme.toLowerCase(), '')
  const hostname = parseHostname(authority.slice(authority.lastIndexOf('@') + 1))
  return hostname === undefined ? undefined : new CelUrl(scheme.toLowerCase(), hostname)
}

function parseHostname(host: string): string | undefined {
  if (!HOST_CHARACTERS.test(host)) return undefined
  if (host.startsWith('[')) return /^\[([^\]]*)\](:[0-9]*)?$/.exec(host)?.[1]
  const colon = host.indexOf(':')
  if (colon === -1) return host
  return /^:[0-9]*$/.test(host.slice(colon)) ? host.slice(0, colon) : undefined
}
