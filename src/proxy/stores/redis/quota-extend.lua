-- Reserves more on top of an open reservation, in the windows of its admission, and renews its lease.
-- KEYS: base:open, base:reservations
-- ARGV: now, id, plan (JSON, that of the admission), the need as in quota-need.lua
-- Returns numbers with a space between them: 1 and the granted tokens a choice; or `refused` of quota-decide.lua; or 2: it
-- has expired.
local id, plan = ARGV[2], cjson.decode(ARGV[3])
local need, _, open = need_in(ARGV[4])

local packed = redis.call('HGET', KEYS[2], id)
if not packed then return '2' end
local record = cmsgpack.unpack(packed)

-- Even where a new window has begun: the whole request belongs to one.
local states = {}
for index, window in ipairs(record.w) do states[index] = read_window(window) end

local granted, refusal = decide_size(plan, record.w, states, need, open, record.b)
if refusal then
  local scopes = plan[4]
  return refused(refusal, scopes and rates().figures(rates().read(scopes)))
end

local bound = open and open_answer().bound_of(need, open, granted) or need
for index, state in ipairs(states) do reserve(record.w[index], state, bound) end
for unit = 1, 3 do record.b[unit] = record.b[unit] + bound[unit] end
redis.call('HSET', KEYS[2], id, cmsgpack.pack(record))
redis.call('ZADD', KEYS[1], now + 60000, id)
save_windows()
return '1 ' .. text(granted)
