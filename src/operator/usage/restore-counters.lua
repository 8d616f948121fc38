-- Brings counters back to at least what a copy says. Doing it twice, or with an older copy, changes nothing.
-- KEYS: base:whole, then counters of the same organization (see proxy/stores/redis/quota-prelude.lua)
-- ARGV: as of when the counters are whole (ms) if none of these had to be raised, or '';
--       then for each counter: bucket length of a rolling window or 0, end of a calendar window or 0 (ms),
--       micro-dollars, input tokens, output tokens, requests, and when they had been counted (ms)
-- Returns how many counters were raised.

local IDLE_MS = 400 * 86400000
local RETENTION_MS = 3600000
local ROLLING_BUCKETS = 60
-- As in restorer.ts.
local CLOCK_SLACK_MS = 3600000
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function text(number)
  return string.format('%.0f', number)
end

-- Tenants can write here: what is no number counts as none.
local function number(field)
  return tonumber(field or 0) or 0
end

-- How much each amount is below that of the copy, or nil where none is. Raises them.
local function raise(key, copy)
  -- Of another type it is nobody's counter.
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', key) end
  local raw = redis.call('HMGET', key, 's1', 's2', 's3')
  local lacks, any = {}, false
  for unit = 1, 3 do
    local held = number(raw[unit])
    lacks[unit] = math.max(0, copy[unit] - held)
    any = any or lacks[unit] > 0
    if lacks[unit] > 0 then redis.call('HSET', key, 's' .. unit, text(held + lacks[unit])) end
  end
  return any and lacks or nil
end

-- A calendar window: it ends when it would have ended.
local function restore_calendar(key, finish, copy)
  if finish > 0 and finish <= now then return 0 end
  if not raise(key, copy) then return 0 end
  if number(redis.call('HGET', key, 'q')) < copy[4] then redis.call('HSET', key, 'q', text(copy[4])) end
  redis.call('PEXPIRE', key, text(finish > 0 and finish - now + RETENTION_MS or IDLE_MS))
  return 1
end

-- A rolling window: when each part was spent is not known, so all of it stays as long as what was spent last.
local function restore_rolling(key, bucket, copy, at)
  local n = math.floor(at / bucket)
  if n < math.floor(now / bucket) - ROLLING_BUCKETS then return 0 end
  local lacks = raise(key, copy)
  if not lacks then return 0 end
  local field = 'b' .. text(n)
  local packed = redis.call('HGET', key, field)
  local c, i, o = string.match(packed or '', '^(-?%d+),(-?%d+),(-?%d+)$')
  local first, last = unpack(redis.call('HMGET', key, 'o', 'z'))
  redis.call('HSET', key,
    field, text(number(c) + lacks[1]) .. ',' .. text(number(i) + lacks[2]) .. ',' .. text(number(o) + lacks[3]),
    'o', text(math.min(tonumber(first or n) or n, n)), 'z', text(math.max(tonumber(last or n) or n, n)))
  redis.call('PEXPIRE', key, text(IDLE_MS))
  return 1
end

local raised = 0
for index = 2, #KEYS do
  local from = 2 + (index - 2) * 7
  local bucket, finish, at = tonumber(ARGV[from]), tonumber(ARGV[from + 1]), tonumber(ARGV[from + 6])
  local copy = { tonumber(ARGV[from + 2]), tonumber(ARGV[from + 3]), tonumber(ARGV[from + 4]), tonumber(ARGV[from + 5]) }
  if bucket > 0 then
    raised = raised + restore_rolling(KEYS[index], bucket, copy, at)
  else
    raised = raised + restore_calendar(KEYS[index], finish, copy)
  end
end

-- Never backwards: a copy that is older has not lost what a newer one knew. A mark of the future is nobody's: a tenant's, or
-- of a clock that was ahead.
local mark = redis.pcall('GET', KEYS[1])
local known = type(mark) == 'string' and #mark <= 15 and string.find(mark, '^%d+$') and tonumber(mark) or -1
if known > now + CLOCK_SLACK_MS then known = -1 end
if ARGV[1] ~= '' and raised == 0 and known < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', text(IDLE_MS))
end
return raised
