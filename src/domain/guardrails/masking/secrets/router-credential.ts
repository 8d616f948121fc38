/**
 * Passwords in the configuration of a router or switch: `username bob password 7 0822455D0A16`, `enable secret Cisc0!`,
 * `snmp-server community s3cret RO`; and in Windows' `net user bob P@ss /add`. Behind 5, 8 and 9 stand hashes. A word without digit or
 * sign is left: `enable password reset`.
 */
import type { Finding } from '../finding.ts'
import { isPlaceholder } from './randomness.ts'

/** Ends the word that it begins with. */
export const COMMUNITY = 'community'
/** The same. */
export const USER = 'user'

const NAME = /^(?:password|secret|key|community)$/i
/** What stands before the name on its line. */
const COMMAND =
  /^(?:enable|username [\w.@+\\-]{1,64}(?: privilege \d{1,2})?|(?:tacacs|radius)-server(?: host \S{1,64})?|snmp-server|crypto isakmp|neighbor \S{1,64}|ppp chap|pre-shared-key(?: address \S{1,64})?) $/i
const LONGEST_COMMAND = 120
const NET = /(?:^|[\s"'`>&|;]|\\[nrt])net1?(?:\.exe)? $/i
const NET_USER =
  / [\w.-]{1,64} (?=[^\s\d]{0,64}[\d!@#$%^&*])([^\s"'`/*][^\s"'`]{3,63})(?=[ \t]{0,8}(?:\/|["'\r\n]|\\[nr]|$))/y
const LONGEST_NET = 12
const VALUE = / (?:[067] )?(?=[^\s\d]{0,64}[\d!@#$%^&*])([^\s"'`]{4,64})(?=\s|$)/y

/** The password behind the name `[start, end)`. */
export function findRouterCredential(text: string, start: number, end: number): Finding | undefined {
  if (end - start === USER.length && NET.test(text.slice(Math.max(0, start - LONGEST_NET), start)))
    return credentialBehind(NET_USER, text, end)
  if (!NAME.test(text.slice(start, end))) return undefined
  const before = text.slice(Math.max(0, start - LONGEST_COMMAND), start)
  if (!COMMAND.test(before.slice(before.lastIndexOf('\n') + 1).trimStart())) return undefined
  return credentialBehind(VALUE, text, end)
}

function credentialBehind(pattern: RegExp, text: string, end: number): Finding | undefined {
  pattern.lastIndex = end
  const value = pattern.exec(text)?.[1]
  if (value === undefined || isPlaceholder(value)) return undefined
  return { kind: 'KEY', start: pattern.lastIndex - value.length, end: pattern.lastIndex, rule: 'router-credential' }
}
