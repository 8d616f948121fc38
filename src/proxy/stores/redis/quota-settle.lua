-- Settlements of a plan: ends reservations at what was really used; a second one changes nothing.

-- Of `count` pairs in ARGV from `first` on: the id of a reservation, and "micro-dollars input output", tokens. `unknown_is`
-- says what becomes of one that is not there: '1', of a first try: it is charged, to the plan in JSON; '2', of one that was
-- admitted without the store: the same; '' nothing, as an earlier try may have settled it. After the last two an earlier try
-- or an admission, delayed until now, finds for an hour that it is over.
local function settle(first, count, plan_json, unknown_is)
  local ids = {}
  for index = 1, count do ids[index] = ARGV[first + 2 * index - 2] end
  local packed = redis.call('HMGET', KEYS[2], unpack(ids))
  -- Ahead of what is charged, as nothing may be refused after that: a server of an earlier version than 7 that cannot write
  -- refuses a script its first write, one without memory the first that takes some.
  redis.call('ZREM', KEYS[1], unpack(ids))
  redis.call('HDEL', KEYS[2], unpack(ids))

  for index = 1, count do
    local cost, input, output = string.match(ARGV[first + 2 * index - 1], '^(%S+) (%S+) (%S+)$')
    local actual = { cost + 0, input + 0, output + 0 }
    local record = packed[index] and record_in(packed[index])
    if record then
      -- The common case: what was reserved becomes what was used.
      charge_record(record, actual)
      local buckets = record.t
      for bucket = 1, #buckets do pcall(rates().correct, buckets[bucket], actual[2] + actual[3]) end
    else
      -- A record that makes no sense keeps no other from its settlement: it counts as one that is not there.
      pcall(unknown().settle, ended_key(ids[index]), actual, unknown_is ~= '' and plan_json or '')
    end
    if unknown_is ~= '1' then redis.call('SET', ended_key(ids[index]), '', 'PX', '3600000') end
  end
end
