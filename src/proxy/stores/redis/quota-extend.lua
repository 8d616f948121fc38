-- Reserves more on top of an open reservation, in the windows of its admission, and renews its lease.
-- KEYS: base:open, base:reservations
-- ARGV: now, base, id, plan (JSON, that of the admission), then the need (read_need of the prelude)
-- Returns { 1, granted }, { 0, reason, scope, window, limit, retry after, reset at, rate levels } or { 2 }: it has expired.
local now = clock(ARGV[1])
local base, id = ARGV[2], ARGV[3]
local plan, need = cjson.decode(ARGV[4]), read_need(ARGV, 5)

local packed = redis.call('HGET', KEYS[2], id)
if not packed then return { 2 } end
local record = cmsgpack.unpack(packed)

-- Even where a new window has begun: the whole request belongs to one.
local states = {}
for index, window in ipairs(record.w) do states[index] = read_recorded(window, now) end

local granted, refusal = decide_size(plan, need, states, now)
if refusal then
  local rates = {}
  for s, scope in ipairs(plan) do rates[s] = read_rate(base, scope, now) end
  local _, levels = figures({}, rates)
  return { 0, refusal[1], refusal[2], refusal[3], refusal[4], refusal[5], refusal[6], levels }
end

local bound = bound_of(need, granted)
for _, state in ipairs(states) do
  for unit = 1, 3 do state.r[unit] = state.r[unit] + bound[unit] end
  save_window(state, true)
end
for unit = 1, 3 do record.b[unit] = record.b[unit] + bound[unit] end
redis.call('HSET', KEYS[2], id, cmsgpack.pack(record))
redis.call('ZADD', KEYS[1], now + LEASE_MS, id)
return { 1, granted }
