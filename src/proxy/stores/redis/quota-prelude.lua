-- Common part of the quota scripts, put in front of each of them when it is loaded. ARGV[1] is always the clock.
--
-- Redis makes every function of a script anew in every call, which takes longer than to run most of them. So what few
-- calls need stands in modules: files that return their functions, each within one function of the file's name.
-- `quota-scripts.ts` says which script has which.
--
-- Keys, all of one organization in one hash slot; `base` is tg:q:{organization}:
--   base:open                       zset  reservation id -> when its lease ends, ms
--   base:reservations               hash  reservation id -> record (see quota-admit.lua)
--   base:ended:<id>                 string what became of an expired or unconfirmed reservation, kept for an hour
--   base:whole                      string set by who restores lost counters: they are all there
--   base:<scope>:<window>:<start>   hash  s1 s2 s3 spent and r1 r2 r3 reserved: micro-dollars, input tokens, output tokens;
--                                   q requests that were charged; x<unit> "limit:spent" when a limit last refused
--   base:<scope>:<window>:rolling   hash  the same but q, and b<n> spent in bucket n as "s1,s2,s3", o and z oldest and newest n
--   base:<scope>:rate               hash  ql qa level of the request bucket and when, tl ta of the token bucket, n open requests
--   in the last two, and in windows that never end: d the day on which the expiry was last set
-- Window keys carry the time of the server: same hash tag, same slot.
-- Lua counts in doubles: amounts are exact up to 2^53 (nine thousand million dollars).


-- Two keys that are never there: while the slot is moving to another node of a cluster, both nodes refuse this, hence the
-- whole script. Each lacks some keys then: the one would fail in the middle, the other begin counters anew.
redis.call('EXISTS', KEYS[1] .. ':1', KEYS[1] .. ':2')

-- A counter that nobody touched for 400 days goes.
local IDLE_MS = '34560000000'

-- The server's clock, because the clocks of sidecars differ; tests hand in their own.
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Integers as text: `..` would write large ones as 1e+15.
local function text(number)
  return string.format('%.0f', number)
end

-- base:ended:<id>, from KEYS[1], which is base:open.
local function ended_key(id)
  return string.sub(KEYS[1], 1, -5) .. 'ended:' .. id
end

-- Prolongs the life of a key that has no end of its own, once a day: `last` is the day of the last time.
local function keep_alive(key, last)
  local day = math.floor(now / 86400000)
  if tonumber(last or -1) == day then return end
  redis.call('HSET', key, 'd', day)
  redis.call('PEXPIRE', key, IDLE_MS)
end
