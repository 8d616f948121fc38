-- Brings counters back to at least what a copy says. Doing it twice, or with an older copy, changes nothing.
-- KEYS: base:whole, then counters of the same organization (see proxy/stores/redis/quota-prelude.lua)
-- ARGV: as of when the counters are whole (ms) if none of these had to be raised, or '';
--       then for each counter: bucket length of a rolling window or 0, end of a calendar window or 0 (ms),
--       micro-dollars, input tokens, output tokens, requests, and when they had been counted (ms)
-- Returns how many counters were raised.

local IDLE_MS = 400 * 86400000
local RETENTION_MS = 3600000
local ROLLING_BUCKETS = 60
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function text(number)
  return string.format('%.0f', number)
end

-- How much each amount is below that of the copy, or nil where none is.
local function missing(key, copy)
  local raw = redis.call('HMGET', key, 's1', 's2', 's3')
  local lacks, any = {}, false
  for unit = 1, 3 do
    lacks[unit] = math.max(0, copy[unit] - tonumber(raw[unit] or 0))
    any = any or lacks[unit] > 0
  end
  return any and lacks or nil
end

local function raise(key, lacks)
  for unit = 1, 3 do
    if lacks[unit] > 0 then redis.call('HINCRBY', key, 's' .. unit, text(lacks[unit])) end
  end
end

-- A calendar window: it ends when it would have ended.
local function restore_calendar(key, finish, copy)
  if finish > 0 and finish <= now then return 0 end
  local lacks = missing(key, copy)
  if not lacks then return 0 end
  raise(key, lacks)
  if tonumber(redis.call('HGET', key, 'q') or 0) < copy[4] then redis.call('HSET', key, 'q', text(copy[4])) end
  redis.call('PEXPIRE', key, text(finish > 0 and finish - now + RETENTION_MS or IDLE_MS))
  return 1
end

-- A rolling window: when each part was spent is not known, so all of it stays as long as what was spent last.
local function restore_rolling(key, bucket, copy, at)
  local n = math.floor(at / bucket)
  if n < math.floor(now / bucket) - ROLLING_BUCKETS then return 0 end
  local lacks = missing(key, copy)
  if not lacks then return 0 end
  raise(key, lacks)
  local field = 'b' .. text(n)
  local packed = redis.call('HGET', key, field)
  local c, i, o = 0, 0, 0
  if packed then c, i, o = string.match(packed, '^(-?%d+),(-?%d+),(-?%d+)$') end
  local first, last = unpack(redis.call('HMGET', key, 'o', 'z'))
  redis.call('HSET', key, field, text(c + lacks[1]) .. ',' .. text(i + lacks[2]) .. ',' .. text(o + lacks[3]),
    'o', text(math.min(tonumber(first or n), n)), 'z', text(math.max(tonumber(last or n), n)))
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

-- Never backwards: a copy that is older has not lost what a newer one knew.
if ARGV[1] ~= '' and raised == 0 and tonumber(redis.call('GET', KEYS[1]) or -1) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', text(IDLE_MS))
end
return raised
