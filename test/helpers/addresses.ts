/** What this machine's network has. */
import { networkInterfaces } from 'node:os'

export function hasIPv6(): boolean {
  return Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === '::1'))
}
