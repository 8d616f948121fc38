-- Common part of the quota scripts (put in front of each of them when it is loaded).
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
-- Window keys carry the time of the server, so scripts build them from `base`: same hash tag, same slot.
-- Lua counts in doubles: amounts are exact up to 2^53 (nine thousand million dollars).

-- Expired reservations charged by one call; SWEEP_LIMIT of memory/organization-ledger.ts.
local SWEEP_LIMIT = 20
-- Ended windows and ended reservations are kept for an hour, for late settlements.
local RETENTION_MS = 3600000
-- A counter that nobody touched for 400 days goes.
local IDLE_MS = 400 * 86400000
-- Lease of a reservation; RESERVATION_LEASE_MS of the port.
local LEASE_MS = 60000
-- Parts of one request or token in a rate bucket; RATE_PARTS of domain/quota/rate.ts.
local RATE_PARTS = 60000
-- Buckets of a rolling window beside the running one.
local ROLLING_BUCKETS = 60

-- The server's clock, because the clocks of sidecars differ; tests hand in their own.
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Whether counters have been lost, for a caller to whom that matters ('1').
local function is_lost(base, matters)
  return matters == '1' and redis.call('EXISTS', base .. ':whole') == 0
end

-- Integers as text: `..` would write large ones as 1e+15.
local function text(number)
  return string.format('%.0f', number)
end

-- Days since the epoch of the first of a month, month 1..12 (proleptic Gregorian calendar, years from March on).
local function first_of_month(year, month)
  if month <= 2 then year = year - 1 end
  local era = math.floor(year / 400)
  local year_of_era = year - era * 400
  local day_of_year = math.floor((153 * ((month + 9) % 12) + 2) / 5)
  return era * 146097 + year_of_era * 365 + math.floor(year_of_era / 4) - math.floor(year_of_era / 100) + day_of_year - 719468
end

-- Year and month of a day since the epoch; the inverse of the above.
local function year_and_month(day)
  local shifted = day + 719468
  local era = math.floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524) - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local month = (math.floor((5 * day_of_year + 2) / 153) + 2) % 12 + 1
  local year = year_of_era + era * 400
  if month <= 2 then year = year + 1 end
  return year, month
end

-- Lengths of the even calendar windows, and how far the epoch is after the start of one (it was a Thursday).
local EVEN = { Minute = { 60000, 0 }, Hour = { 3600000, 0 }, Day = { 86400000, 0 }, Week = { 604800000, 3 * 86400000 } }

-- Start and end of the calendar window that holds `now`; end 0: never.
local function calendar_window(name, now)
  local even = EVEN[name]
  if even then
    local start = now - (now + even[2]) % even[1]
    return start, start + even[1]
  end
  if name == 'Total' then return 0, 0 end
  local year, month = year_and_month(math.floor(now / 86400000))
  local start = first_of_month(year, month) * 86400000
  if month == 12 then year, month = year + 1, 0 end
  return start, first_of_month(year, month + 1) * 86400000
end

-- Key, bucket length (0: calendar), end (0: none) and start of a planned window now.
local function window_identity(base, scope, window, now)
  local prefix = base .. ':' .. scope.n .. ':' .. window.n .. ':'
  if window.r > 0 then return prefix .. 'rolling', window.r, 0, (math.floor(now / window.r) - ROLLING_BUCKETS) * window.r end
  local start, finish = calendar_window(window.n, now)
  return prefix .. text(start / 1000), 0, finish, start
end

-- Takes one bucket's amounts out of the state's spent ones, never below zero.
local function drop(state, packed)
  local c, i, o = string.match(packed, '^(-?%d+),(-?%d+),(-?%d+)$')
  state.s[1] = math.max(0, state.s[1] - tonumber(c))
  state.s[2] = math.max(0, state.s[2] - tonumber(i))
  state.s[3] = math.max(0, state.s[3] - tonumber(o))
end

-- Prolongs the life of a key that has no end of its own, once a day: `last` is the day of the last time.
local function keep_alive(key, last, now)
  local day = math.floor(now / 86400000)
  if tonumber(last or -1) == day then return end
  redis.call('HSET', key, 'd', day)
  redis.call('PEXPIRE', key, text(IDLE_MS))
end

-- Reads a window without changing it; buckets that are older than the window are left out and listed in `dropped`.
local function read_window(key, bucket, finish, now)
  local raw
  if finish > 0 then raw = redis.call('HMGET', key, 's1', 's2', 's3', 'r1', 'r2', 'r3')
  else raw = redis.call('HMGET', key, 's1', 's2', 's3', 'r1', 'r2', 'r3', 'd', 'o', 'z') end
  local state = {
    key = key, bucket = bucket, finish = finish, now = now, new = not (raw[1] or raw[4]), day = raw[7], dropped = {},
    s = { tonumber(raw[1] or 0), tonumber(raw[2] or 0), tonumber(raw[3] or 0) },
    r = { tonumber(raw[4] or 0), tonumber(raw[5] or 0), tonumber(raw[6] or 0) },
    o = tonumber(raw[8] or nil), z = tonumber(raw[9] or nil), touched = {},
  }
  if bucket == 0 or not state.o then return state end
  -- Every spend drops what is too old first, so that at most some sixty buckets lie between o and z.
  local cut = math.floor(now / bucket) - ROLLING_BUCKETS
  if state.o >= cut then return state end
  local fields = {}
  for n = state.o, math.min(cut - 1, state.z) do fields[#fields + 1] = 'b' .. text(n) end
  for index, packed in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if packed then
      drop(state, packed)
      state.dropped[#state.dropped + 1] = fields[index]
    end
  end
  -- The oldest left may be later than the cut; an empty bucket in between costs nothing.
  if state.z < cut then state.o, state.z = nil, nil else state.o = cut end
  return state
end

-- Writes a window back and sees to its end of life. An admission changes only what is reserved, unless buckets dropped out.
local function save_window(state, only_reserved)
  if only_reserved and #state.dropped == 0 then
    redis.call('HSET', state.key, 'r1', state.r[1], 'r2', state.r[2], 'r3', state.r[3])
  elseif state.bucket == 0 then
    redis.call('HSET', state.key, 's1', state.s[1], 's2', state.s[2], 's3', state.s[3], 'r1', state.r[1], 'r2', state.r[2], 'r3', state.r[3])
  else
    local fields = { 's1', state.s[1], 's2', state.s[2], 's3', state.s[3], 'r1', state.r[1], 'r2', state.r[2], 'r3', state.r[3] }
    if state.o then
      fields[#fields + 1] = 'o'; fields[#fields + 1] = state.o
      fields[#fields + 1] = 'z'; fields[#fields + 1] = state.z
    else
      state.dropped[#state.dropped + 1] = 'o'; state.dropped[#state.dropped + 1] = 'z'
    end
    for field, packed in pairs(state.touched) do fields[#fields + 1] = field; fields[#fields + 1] = packed end
    redis.call('HSET', state.key, unpack(fields))
    if #state.dropped > 0 then redis.call('HDEL', state.key, unpack(state.dropped)) end
  end
  if state.finish == 0 then
    keep_alive(state.key, state.day, state.now)
  elseif state.new then
    -- Relative to the server's clock even where a test hands in another one: never less than the retention.
    redis.call('PEXPIRE', state.key, text(math.max(0, state.finish - state.now) + RETENTION_MS))
  end
end

-- Counts amounts as spent; in a rolling window in the bucket of `at`, unless that has dropped out.
local function spend(state, amounts, at, now)
  if state.bucket > 0 then
    local n = math.floor(at / state.bucket)
    if n < math.floor(now / state.bucket) - ROLLING_BUCKETS then return end
    local field = 'b' .. text(n)
    local packed = redis.call('HGET', state.key, field)
    local c, i, o = 0, 0, 0
    if packed then c, i, o = string.match(packed, '^(-?%d+),(-?%d+),(-?%d+)$') end
    state.touched[field] = text(c + amounts[1]) .. ',' .. text(i + amounts[2]) .. ',' .. text(o + amounts[3])
    state.o = math.min(state.o or n, n)
    state.z = math.max(state.z or n, n)
  end
  for unit = 1, 3 do state.s[unit] = math.max(0, state.s[unit] + amounts[unit]) end
end

-- Takes amounts from the reserved ones; never below zero, the reservation may be older than the counter.
local function release(state, amounts)
  for unit = 1, 3 do state.r[unit] = math.max(0, state.r[unit] - amounts[unit]) end
end

-- Reads one window of a reservation's record: { key, bucket, end }.
local function read_recorded(window, now)
  return read_window(window[1], window[2], window[3], now)
end

-- Level of a bucket now: a bucket never seen is full, a clock that went back adds nothing.
local function refill(rate, level, at, now)
  if not level then return rate.c end
  return math.min(rate.c, tonumber(level) + math.max(0, now - tonumber(at)) * rate.l)
end

-- Levels of a scope's buckets and its open requests; 0 where it has no such limit.
local function read_rate(base, scope, now)
  local state = { key = base .. ':' .. scope.n .. ':rate', q = 0, t = 0, n = 0 }
  if not (scope.q or scope.t or scope.m) then return state end
  local raw = redis.call('HMGET', state.key, 'ql', 'qa', 'tl', 'ta', 'n', 'd')
  state.day = raw[6]
  if scope.q then state.q = refill(scope.q, raw[1], raw[2], now) end
  if scope.t then state.t = refill(scope.t, raw[3], raw[4], now) end
  state.n = tonumber(raw[5] or 0)
  return state
end

-- One request fewer is open in a scope; never below zero.
local function leave(key)
  if redis.call('HINCRBY', key, 'n', -1) >= 0 then return end
  redis.call('HSET', key, 'n', 0)
  redis.call('PEXPIRE', key, text(IDLE_MS))
end

-- Charges a record's windows: releases what was reserved, counts what was used.
local function charge_record(record, amounts, now)
  local counts = amounts[1] + amounts[2] + amounts[3] > 0
  for _, window in ipairs(record.w) do
    local state = read_recorded(window, now)
    release(state, record.b)
    spend(state, amounts, now, now)
    save_window(state)
    if counts and state.bucket == 0 then redis.call('HINCRBY', state.key, 'q', 1) end
  end
  for _, key in ipairs(record.c) do leave(key) end
end

-- Charges reservations whose lease has ended at their bound, a bounded number a call, and remembers them for an hour
-- so that a settlement that comes after all can correct them.
local function sweep(base, now)
  local open, reservations = base .. ':open', base .. ':reservations'
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', open, '-inf', text(now), 'LIMIT', 0, SWEEP_LIMIT)) do
    local packed = redis.call('HGET', reservations, id)
    redis.call('ZREM', open, id)
    redis.call('HDEL', reservations, id)
    if packed then
      local record = cmsgpack.unpack(packed)
      charge_record(record, record.b, now)
      redis.call('SET', base .. ':ended:' .. id, cmsgpack.pack({ at = now, b = record.b, w = record.w }), 'PX', text(RETENTION_MS))
    end
  end
end

-- The need from eight arguments: cost, input tokens, output tokens, rate tokens; and of an open answer (else choices is
-- 0) choices, least and highest tokens a choice, price.
local function read_need(arguments, first)
  local need = { c = tonumber(arguments[first]), i = tonumber(arguments[first + 1]), t = tonumber(arguments[first + 2]), r = tonumber(arguments[first + 3]) }
  local choices = tonumber(arguments[first + 4])
  if choices > 0 then
    need.o = { n = choices, l = tonumber(arguments[first + 5]), h = tonumber(arguments[first + 6]), p = tonumber(arguments[first + 7]) }
  end
  return need
end

-- The part of amounts that a limit's unit counts: 1 cost, 2 input, 3 output, 4 input and output.
local function amount_in(unit, amounts)
  if unit == 4 then return amounts[2] + amounts[3] end
  return amounts[unit]
end

-- Cost bound of tokens of an open answer; openCost of domain/quota/amounts.ts.
local function open_cost(open, tokens)
  local femto = tokens * open.p
  if femto == 0 then return 0 end
  return math.floor(femto / 1e9) + 1
end

-- What is reserved for a need whose open part was granted so many tokens a choice; boundOf of amounts.ts.
local function bound_of(need, granted)
  local open = need.o
  if not open then return { need.c, need.i, need.t } end
  local tokens = granted * open.n
  return { need.c + open_cost(open, tokens), need.i, need.t + tokens }
end

-- Tokens a choice for which `left` of the unit is enough; openTokens of domain/quota/decide.ts.
local function open_tokens(open, unit, left)
  if unit == 2 then return open.h end
  if unit ~= 1 then return math.min(open.h, math.floor(left / open.n)) end
  if open.p == 0 then return open.h end
  local tokens = math.min(open.h, math.floor(left * 1e9 / open.p / open.n))
  while tokens > open.l and open_cost(open, tokens * open.n) > left do tokens = tokens - 1 end
  return math.max(tokens, open.l)
end

-- When at least `excess` of the unit will have dropped out; -1: never.
local function reset_at(state, unit, excess, now)
  if state.bucket == 0 then
    if state.finish == 0 then return -1 end
    return state.finish
  end
  if not state.o then return -1 end
  local freed = 0
  for n = state.o, state.z do
    local packed = redis.call('HGET', state.key, 'b' .. text(n))
    if packed then
      local c, i, o = string.match(packed, '^(-?%d+),(-?%d+),(-?%d+)$')
      freed = freed + amount_in(unit, { tonumber(c), tonumber(i), tonumber(o) })
      if freed >= excess then return (n + ROLLING_BUCKETS + 1) * state.bucket end
    end
  end
  return -1
end

-- Whether the need fits into every limit that blocks; decideSize of domain/quota/decide.ts.
-- Returns the granted tokens, or nil and the refusal { reason, scope, window, limit, retry after, reset at }.
local function decide_size(plan, need, states, now)
  local granted = need.o and need.o.h or 0
  local least = bound_of(need, need.o and need.o.l or 0)
  local fixed = { need.c, need.i, need.t }
  local reserved
  local index = 0
  for s, scope in ipairs(plan) do
    for w, window in ipairs(scope.w) do
      index = index + 1
      local state = states[index]
      for l, limit in ipairs(window.l) do
        -- limit: { unit, amount, 1 where it blocks }
        if limit[3] == 1 then
          local unit = limit[1]
          local needed = amount_in(unit, least)
          local spent = amount_in(unit, state.s)
          if spent + needed > limit[2] then
            local reset = needed > limit[2] and -1 or reset_at(state, unit, spent + needed - limit[2], now)
            return nil, { unit == 1 and 'budget' or 'token-quota', s, w, l, -1, reset }
          end
          local left = limit[2] - spent - amount_in(unit, state.r)
          if needed > left then
            reserved = reserved or { 'reserved', s, w, l, 1000, -1 }
          elseif need.o then
            granted = math.min(granted, open_tokens(need.o, unit, left - amount_in(unit, fixed)))
          end
        end
      end
    end
  end
  if reserved then return nil, reserved end
  return granted
end

-- The states for the reply, flat: six figures a window, three a scope.
local function figures(states, rates)
  local windows, levels = {}, {}
  for _, state in ipairs(states) do
    for unit = 1, 3 do windows[#windows + 1] = state.s[unit] end
    for unit = 1, 3 do windows[#windows + 1] = state.r[unit] end
  end
  for _, rate in ipairs(rates) do
    levels[#levels + 1] = rate.q
    levels[#levels + 1] = rate.t
    levels[#levels + 1] = rate.n
  end
  return windows, levels
end

-- All windows and rate states of a plan now.
local function read_plan(base, plan, now)
  local states, rates = {}, {}
  for s, scope in ipairs(plan) do
    for _, window in ipairs(scope.w) do
      local key, bucket, finish, start = window_identity(base, scope, window, now)
      local state = read_window(key, bucket, finish, now)
      state.start = start
      states[#states + 1] = state
    end
    rates[s] = read_rate(base, scope, now)
  end
  return states, rates
end
