-- What stands in counters; changes nothing. All keys are of one organization, hence on one node.
-- KEYS: counters (see proxy/stores/redis/quota-prelude.lua)
-- ARGV: now, then for each key the length of a rolling window's bucket, or 0
-- Returns, for each key, { spent micro-dollars, input tokens, output tokens, requests, refusal marks of the four units }

-- Buckets of a rolling window beside the running one; ROLLING_BUCKETS of domain/quota/windows.ts.
local ROLLING_BUCKETS = 60
-- Far more than can lie between the oldest and the newest: tenants can write here, and must not keep Redis busy by it.
local MOST_BUCKETS = 256

local function number(field)
  return tonumber(field or 0) or 0
end

-- A refusal mark is a limit and what was spent, 40 characters at most: tenants can write here, and must not make the
-- operator read megabytes.
local function mark(field)
  return field and #field <= 64 and field or ''
end

-- Amounts in buckets that are older than the window.
local function outdated(key, first, cut, last)
  local sum = { 0, 0, 0 }
  -- Whoever spends drops what is too old, so that some sixty buckets lie between first and last.
  for n = first, math.min(cut - 1, last, first + MOST_BUCKETS) do
    local packed = redis.call('HGET', key, 'b' .. string.format('%.0f', n))
    local c, i, o = string.match(packed or '', '^(-?%d+),(-?%d+),(-?%d+)$')
    if c then sum[1], sum[2], sum[3] = sum[1] + tonumber(c), sum[2] + tonumber(i), sum[3] + tonumber(o) end
  end
  return sum
end

local now = tonumber(ARGV[1])
local found = {}
for index, key in ipairs(KEYS) do
  local bucket = tonumber(ARGV[index + 1])
  -- pcall: somebody may have put something of another type there.
  local raw = redis.pcall('HMGET', key, 's1', 's2', 's3', 'q', 'x1', 'x2', 'x3', 'x4', 'o', 'z')
  if raw.err then raw = {} end
  local spent = { number(raw[1]), number(raw[2]), number(raw[3]) }
  if bucket > 0 and raw[9] then
    local old = outdated(key, number(raw[9]), math.floor(now / bucket) - ROLLING_BUCKETS, number(raw[10]))
    for unit = 1, 3 do spent[unit] = math.max(0, spent[unit] - old[unit]) end
  end
  found[index] = { spent[1], spent[2], spent[3], number(raw[4]), mark(raw[5]), mark(raw[6]), mark(raw[7]), mark(raw[8]) }
end
return found
