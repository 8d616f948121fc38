-- Settlement: ends reservations of a plan at what was really used; a second call changes nothing.
-- KEYS: base:open, base:reservations
-- ARGV: now, plan (JSON) to charge where a reservation is unknown, or '' where an earlier try may have settled it,
--       '1' for unconfirmed reservations else '', then of each reservation its id and "micro-dollars input output", tokens
local plan, is_unconfirmed = ARGV[2], ARGV[3] == '1'

for at = 4, #ARGV, 2 do
  local id = ARGV[at]
  local cost, input, output = string.match(ARGV[at + 1], '^(%S+) (%S+) (%S+)$')
  local actual = { cost + 0, input + 0, output + 0 }
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
    unknown().settle(ended_key(id), actual, plan)
  end
  -- A retry of an unconfirmed settlement, or an admission delayed until now, must find that it is over: for an hour.
  if is_unconfirmed then redis.call('SET', ended_key(id), '', 'PX', '3600000') end
end

sweep(KEYS[1], KEYS[2])
return '1'
