/** What is said of an address that cannot be listened at: which flag asked for it, what is wrong with it, and what helps. */
import { environmentName, UsageError } from './command-line.ts'
import type { Address } from './proxy/server/start.ts'

const NOT_OF_THE_MACHINE = 'this machine has no such address; take one that it has, or leave out the host for all'
const NOT_FOUND = 'the host is not known here; take an address, such as 127.0.0.1'

/** By the operating system's code; of others its own words are said. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'it is in use already; take another port, or 0 for any free one'],
  ['EACCES', 'this user may not listen there; take a port from 1024 on, or 0 for any free one'],
  ['EADDRNOTAVAIL', NOT_OF_THE_MACHINE],
  ['EAFNOSUPPORT', NOT_OF_THE_MACHINE],
  ['ENOTFOUND', NOT_FOUND],
  ['EAI_AGAIN', NOT_FOUND],
])

/** Starts what listens at the address of a flag. @throws {UsageError} where the address cannot be had */
export async function atAddressOf<Started>(
  flag: string,
  address: Address,
  start: (address: Address) => Promise<Started>,
): Promise<Started> {
  try {
    return await start(address)
  } catch (error) {
    throw refusedAddress(flag, address, error)
  }
}

/** The {@link UsageError} for what came of listening; `error` itself where it is not the operating system's. */
export function refusedAddress(flag: string, { host = '', port }: Address, error: unknown): unknown {
  const text = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return refusedAs(`--${flag} ${text} (${environmentName(flag)})`, error)
}

/** The same where the address was asked for in other words. */
export function refusedAs(asked: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const reason = REASONS.get('code' in error ? error.code : undefined) ?? error.message
  return new UsageError(`${asked} cannot be listened at: ${reason}`)
}
