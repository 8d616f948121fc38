/** The quota scripts, put together from their parts. */
import { readFileSync } from 'node:fs'
import { vitalScript } from '../../../crypto/redis-script.ts'
import type { RedisScript } from '../../../crypto/redis-script.ts'

/** What each script consists of, in the order in which the parts use each other. */
const WINDOWS = [module('rolling'), part('windows')]
const EXPIRY = [module('expire', 'charge', 'expire'), part('sweep')]
const PLAN = [module('calendar'), part('plan'), module('rates')]
const DECISION = [module('open-answer'), part('need'), part('decide'), part('reserve')]
const SETTLEMENT = [part('charge'), module('expire'), part('sweep'), module('unknown'), part('settle')]
/** `quota-turn.lua` says what it takes and returns. */
export const TURN = scriptOf(...WINDOWS, ...PLAN, ...SETTLEMENT, ...DECISION, part('admit'), part('turn'))
/** `quota-extend.lua` says what it takes and returns. */
export const EXTEND = scriptOf(...WINDOWS, module('rates'), ...DECISION, part('extend'))
/** `quota-renew.lua` says what it takes and returns. */
export const RENEW = scriptOf(part('renew'))
/** `quota-usage.lua` says what it takes and returns. */
export const USAGE = scriptOf(...WINDOWS, ...EXPIRY, ...PLAN, part('usage'))

function scriptOf(...parts: readonly string[]): RedisScript {
  return vitalScript([part('prelude'), ...parts].join('\n'))
}

function part(name: string): string {
  return readFileSync(new URL(`quota-${name}.lua`, import.meta.url), 'utf8')
}

/** Parts whose functions are made when they are first needed (see `quota-prelude.lua`): a function that returns them. */
function module(name: string, ...parts: readonly string[]): string {
  const local = name.replace('-', '_')
  const text = (parts.length === 0 ? [name] : parts).map(part).join('\n')
  return `local made_${local}
local function ${local}()
  if not made_${local} then made_${local} = (function()
${text}
  end)() end
  return made_${local}
end`
}
