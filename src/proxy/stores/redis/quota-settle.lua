-- Settlement: ends a reservation at what was really used; a second call changes nothing.
-- KEYS: base:open, base:reservations, base:ended:<id>
-- ARGV: now, id, micro-dollars, input tokens, output tokens,
--       plan (JSON) to charge where the reservation is unknown, or '' where an earlier try may have settled it,
--       '1' for an unconfirmed reservation only
-- Returns 'settled', 'corrected', 'charged' or 'unknown'.
local id = ARGV[2]
local actual = { ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0 }
local outcome = 'settled'

local packed = redis.call('HGET', KEYS[2], id)
if packed then
  -- The common case: what was reserved becomes what was used.
  local record = cmsgpack.unpack(packed)
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[1], id)
  charge_record(record, actual)
  local buckets = record.t
  for index = 1, #buckets do rates().correct(buckets[index], actual[2] + actual[3]) end
else
  outcome = unknown().settle(actual, ARGV[6])
end

-- A retry of an unconfirmed settlement, or an admission delayed until now, must find that it is over: for an hour.
if ARGV[7] == '1' then redis.call('SET', KEYS[3], '', 'PX', '3600000') end
sweep(KEYS[1], KEYS[2])
return outcome
