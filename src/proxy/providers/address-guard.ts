/**
 * Keeps a provider's address from reaching what a gateway must never reach: metadata services and other link-local
 * addresses, whatever a name resolves to. Checked on the address that is then connected to, so a name that changes its
 * answer between check and use gains nothing. Literal addresses are not looked up, so they are checked on their own;
 * the URL parser has by then turned spellings such as `0xa9fe.0xa9fe` or `2852039166` into dotted form.
 *
 * Private networks are allowed: model servers live there. Loopback needs `allowInsecureHttp`, as plain http does.
 * Behind a forward proxy the proxy resolves the name; only literal addresses can be checked here.
 */
import type { LookupAddress } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { AttemptError } from '../pipeline/ports.ts'
import { lookUpAll } from './name-lookup.ts'

/** What lets an address through that is refused by default. */
export const CURE = 'endpoint.allowInsecureHTTP lets it through'

/** `name` as `URL.hostname` gives it. @throws {AttemptError} `refused-address` where it is a literal address that is refused. */
export function checkLiteralAddress(name: string, allowLoopback: boolean): void {
  const kind = literalRefusal(name, allowLoopback)
  if (kind !== undefined) throw refused(kind)
}

/** Why it is refused, and what lets it through where anything does; undefined where it is not, by what it says itself. */
export function literalRefusal(name: string, allowLoopback: boolean): string | undefined {
  const address = name.startsWith('[') ? name.slice(1, -1) : name
  if (isIP(address) !== 0) return refusalOf(address, allowLoopback)
  return !allowLoopback && isLoopback(address) ? LOOPBACK_KIND : undefined
}

const LOOPBACK_KIND = `loopback; ${CURE}`

/** Of a name or an address without brackets, by itself: nothing is resolved. */
export function isLoopback(name: string): boolean {
  return isIP(name) === 0 ? /(^|\.)localhost\.?$/i.test(name) : LOOPBACK.check(name, addressFamily(name))
}

/** Of a literal address, as `BlockList` calls it. */
export function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** A `lookup` for sockets that gives the error instead of an address where one of the answers is refused. */
export function guardedLookup(allowLoopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookUpAll(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const refusal = firstRefusal(addresses, allowLoopback)
      if (refusal !== undefined) return callback(refused(refusal), '')
      if (options.all === true) return callback(null, addresses)
      const [first] = addresses
      if (first === undefined) return callback(new Error('no address'), '')
      return callback(null, first.address, first.family)
    })
  }
}

function firstRefusal(addresses: readonly LookupAddress[], allowLoopback: boolean): string | undefined {
  return addresses.map(({ address }) => refusalOf(address, allowLoopback)).find((refusal) => refusal !== undefined)
}

function refusalOf(address: string, allowLoopback: boolean): string | undefined {
  const [bare = ''] = address.split('%')
  if (NEVER.check(bare, addressFamily(bare))) return 'link-local or special'
  return !allowLoopback && isLoopback(bare) ? LOOPBACK_KIND : undefined
}

/** The address itself is not in the text: it tells about the network, and the text may reach a log. */
function refused(kind: string): AttemptError {
  return new AttemptError('refused-address', `the provider's address is refused: ${kind}`)
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** IPv4-mapped IPv6 addresses are understood by BlockList; other ways of carrying IPv4 in IPv6 are listed. */
const NEVER = new BlockList()
NEVER.addSubnet('0.0.0.0', 8, 'ipv4') // "this host": Linux connects to itself
NEVER.addSubnet('169.254.0.0', 16, 'ipv4') // link-local: metadata of most clouds
NEVER.addAddress('100.100.100.200', 'ipv4') // metadata of Alibaba Cloud
NEVER.addAddress('168.63.129.16', 'ipv4') // Azure's host agent
NEVER.addSubnet('224.0.0.0', 4, 'ipv4') // multicast
NEVER.addSubnet('240.0.0.0', 4, 'ipv4') // reserved, broadcast
NEVER.addAddress('::', 'ipv6')
NEVER.addSubnet('fe80::', 10, 'ipv6') // link-local
NEVER.addSubnet('fec0::', 10, 'ipv6') // site-local, deprecated
NEVER.addSubnet('ff00::', 8, 'ipv6') // multicast
NEVER.addAddress('fd00:ec2::254', 'ipv6') // metadata of AWS
NEVER.addAddress('fd20:ce::254', 'ipv6') // metadata of Google Cloud
NEVER.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6') // NAT64 of 169.254.0.0/16
NEVER.addSubnet('64:ff9b::7f00:0', 104, 'ipv6') // NAT64 of 127.0.0.0/8
NEVER.addSubnet('2002:a9fe::', 32, 'ipv6') // 6to4 of 169.254.0.0/16
NEVER.addSubnet('2002:7f00::', 24, 'ipv6') // 6to4 of 127.0.0.0/8
NEVER.addSubnet('::a9fe:0', 112, 'ipv6') // IPv4-compatible, deprecated
NEVER.addSubnet('::7f00:0', 104, 'ipv6')
