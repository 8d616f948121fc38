/**
 * The forward proxy for https providers whose manifest names none, by the variables that curl, Go and Python read:
 * `HTTPS_PROXY` and `NO_PROXY`, spelled in lower case too. `NO_PROXY` is read as Go reads it, as no library of this
 * language knows the address ranges that clusters write there. Not `HTTP_PROXY`: who allows plain http has the server
 * near by, and most proxies would not tunnel it.
 */
import { BlockList, isIP } from 'node:net'
import { addressFamily, isLoopback } from './address-guard.ts'

/** The proxy's URL for an origin; undefined where it is reached directly. */
export type ForwardProxyOf = (origin: URL) => string | undefined

type Environment = Readonly<Record<string, string | undefined>>
/** Whether an entry of `NO_PROXY` speaks of it. `hostname` without brackets and final dot. */
type Exception = (hostname: string, port: number) => boolean

/** @throws {Error} for a proxy that is no http or https URL. The text is not in it, as it may hold a login. */
export function forwardProxyOf(environment: Environment): ForwardProxyOf {
  const proxy = proxyOf(environment)
  const exceptions: Exception[] = [isLoopback, ...exceptionsOf(valueOf('NO_PROXY', environment))]
  return ({ protocol, hostname, port }) => {
    if (proxy === undefined || protocol !== 'https:') return undefined
    const name = hostname.replace(/^\[|\]$|\.$/g, '')
    const to = port === '' ? HTTPS_PORT : Number(port)
    return exceptions.some((speaksOf) => speaksOf(name, to)) ? undefined : proxy
  }
}

const HTTPS_PORT = 443

function proxyOf(environment: Environment): string | undefined {
  const text = valueOf('HTTPS_PROXY', environment)
  if (text === '') return undefined
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  throw new Error('HTTPS_PROXY must be the http or https URL of a forward proxy')
}

function valueOf(variable: string, environment: Environment): string {
  return (environment[variable.toLowerCase()] || environment[variable] || '').trim()
}

function exceptionsOf(list: string): Exception[] {
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map(exceptionOf)
}

/** `*`, or a name, an address or a range (`10.0.0.0/8`), with or without a port. */
function exceptionOf(entry: string): Exception {
  if (entry === '*') return () => true
  // An IPv6 address has a port only after brackets.
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []
  const place = (bracketed ?? plain ?? entry).replace(/\.$/, '')
  const isThere = addressesOf(place) ?? namesOf(place)
  return (hostname, to) => (port === undefined || Number(port) === to) && isThere(hostname)
}

function addressesOf(range: string): ((hostname: string) => boolean) | undefined {
  const [, address = '', written] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(range) ?? []
  const bits = { 0: undefined, 4: 32, 6: 128 }[isIP(address)]
  const prefix = written === undefined ? bits : Number(written)
  if (bits === undefined || prefix === undefined || prefix > bits) return undefined
  const addresses = new BlockList()
  addresses.addSubnet(address, prefix, addressFamily(address))
  const isOfIPv4 = isIPv4(address)
  return (hostname) =>
    isIP(hostname) !== 0 && isIPv4(hostname) === isOfIPv4 && addresses.check(hostname, addressFamily(hostname))
}

const ALL_IPV4 = new BlockList()
ALL_IPV4.addSubnet('0.0.0.0', 0)

/** Also where it is written in IPv6, as Go has it: no range of IPv6 holds it, however large. */
function isIPv4(address: string): boolean {
  return ALL_IPV4.check(address, addressFamily(address))
}

/** A name stands for itself and all below it; after a dot, or `*.`, for those below only. */
function namesOf(name: string): (hostname: string) => boolean {
  const below = name.replace(/^\*?\.?/, '.')
  return (hostname) => hostname === name || hostname.endsWith(below)
}
