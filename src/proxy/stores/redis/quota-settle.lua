-- Settlement: ends a reservation at what was really used; a second call changes nothing.
-- KEYS: base:open, base:reservations, base:ended:<id>
-- ARGV: now, base, id, micro-dollars, input tokens, output tokens,
--       plan (JSON) to charge where the reservation is unknown, or '' where an earlier try may have settled it,
--       '1' for an unconfirmed reservation, else ''
-- Returns 'settled', 'corrected', 'charged' or 'unknown'.
local now = clock(ARGV[1])
local base, id = ARGV[2], ARGV[3]
local actual = { tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]) }
local unconfirmed = ARGV[8] == '1'

local packed = redis.call('HGET', KEYS[2], id)
local ended = redis.call('GET', KEYS[3])
local outcome = 'unknown'

if packed then
  -- The common case: what was reserved becomes what was used.
  local record = cmsgpack.unpack(packed)
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[1], id)
  charge_record(record, actual, now)
  -- The token rate took a guess; it gets the difference back, or goes into debt for at most a minute.
  for _, bucket in ipairs(record.t) do
    local key, parts, rate = bucket[1], bucket[2], { l = bucket[3], c = bucket[4] }
    local raw = redis.call('HMGET', key, 'tl', 'ta')
    local level = refill(rate, raw[1], raw[2], now) + parts - (actual[2] + actual[3]) * RATE_PARTS
    redis.call('HSET', key, 'tl', math.max(-rate.c, math.min(rate.c, level)), 'ta', now)
    if not raw[1] then redis.call('PEXPIRE', key, text(IDLE_MS)) end
  end
  outcome = 'settled'
elseif ended and ended ~= '' then
  -- It expired and was charged at its bound at `at`: that becomes the truth.
  local expired = cmsgpack.unpack(ended)
  local difference = { actual[1] - expired.b[1], actual[2] - expired.b[2], actual[3] - expired.b[3] }
  for _, window in ipairs(expired.w) do
    local state = read_recorded(window, now)
    spend(state, difference, expired.at, now)
    save_window(state)
  end
  outcome = 'corrected'
elseif not ended and ARGV[7] ~= '' then
  -- Spent during a grace period without the store's word, or reserved in a Redis that has lost it: counts now.
  for _, state in ipairs((read_plan(base, cjson.decode(ARGV[7]), now))) do
    spend(state, actual, now, now)
    save_window(state)
    if state.bucket == 0 then redis.call('HINCRBY', state.key, 'q', 1) end
  end
  outcome = 'charged'
end

-- A retry of an unconfirmed settlement, or an admission delayed until now, must find that it is over.
if ended or unconfirmed then redis.call('SET', KEYS[3], '', 'PX', text(RETENTION_MS)) end
sweep(base, now)
return outcome
