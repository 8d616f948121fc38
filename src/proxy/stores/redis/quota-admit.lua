-- Admission: checks every limit of the plan and reserves the need in all of them, or changes nothing.
-- KEYS: base:open, base:reservations, base:ended:<id>
-- ARGV: now ('' for the server's clock), base, id, plan (JSON), then the need (read_need of the prelude), and '1' where
--       only whole counters count, else ''
-- Returns { 1, granted tokens a choice, window figures, rate levels }
--      or { 0, reason, scope, window, limit, retry after ms, reset at ms, rate levels } (indices from 1, window 0: a rate)
--      or { 2 } where the id was used before, or { 3 } where the counters are not whole.
local now = clock(ARGV[1])
local base, id = ARGV[2], ARGV[3]
if is_lost(base, ARGV[13]) then return { 3 } end
local plan, need = cjson.decode(ARGV[4]), read_need(ARGV, 5)

-- Whoever touches the organization charges what others left behind.
sweep(base, now)

-- A call that was delayed until after its settlement must not reserve again.
if redis.call('EXISTS', KEYS[3]) == 1 or redis.call('HEXISTS', KEYS[2], id) == 1 then return { 2 } end

-- Gather.
local states, rates = read_plan(base, plan, now)

-- Decide: budgets and token quotas first, because no retry cures them.
local granted, refusal = decide_size(plan, need, states, now)

-- No counter, but a note for who watches the limits: at this level and under this limit a request did not fit.
if refusal and refusal[1] ~= 'reserved' then
  local index = refusal[3]
  for s = 1, refusal[2] - 1 do index = index + #plan[s].w end
  local state, limit = states[index], plan[refusal[2]].w[refusal[3]].l[refusal[4]]
  local spent = amount_in(limit[1], state.s)
  -- NOTED_BELOW_PART of domain/quota/exhausted.ts.
  if not state.new and (limit[2] - spent) * 2 < limit[2] then
    redis.call('HSET', state.key, 'x' .. limit[1], text(limit[2]) .. ':' .. text(spent))
  end
end

-- Then concurrency, then the rate that keeps the request waiting longest.
if not refusal then
  for s, scope in ipairs(plan) do
    if scope.m and rates[s].n >= scope.m then
      refusal = { 'concurrency', s, 0, 0, 1000, -1 }
      break
    end
  end
end

-- Milliseconds until a level reaches what is needed; a limit of zero lets nothing pass.
local function wait(rate, level, parts)
  if level >= parts then return 0 end
  if rate.l == 0 then return 60000 end
  return math.ceil((parts - level) / rate.l)
end

-- What the request takes from a token bucket: never nothing, never more than a full one holds.
local function token_parts(rate)
  return math.max(RATE_PARTS, math.min(need.r * RATE_PARTS, rate.c))
end

if not refusal then
  local longest = 0
  for s, scope in ipairs(plan) do
    local requests = scope.q and wait(scope.q, rates[s].q, RATE_PARTS) or 0
    if requests > longest then longest, refusal = requests, { 'rate-limit', s, 0, 1, requests, -1 } end
    local tokens = scope.t and wait(scope.t, rates[s].t, token_parts(scope.t)) or 0
    if tokens > longest then longest, refusal = tokens, { 'rate-limit', s, 0, 2, tokens, -1 } end
  end
end

if refusal then
  local _, levels = figures({}, rates)
  return { 0, refusal[1], refusal[2], refusal[3], refusal[4], refusal[5], refusal[6], levels }
end

-- Apply: the bound in every window.
local record = { b = bound_of(need, granted), w = {}, t = {}, c = {} }
for index, state in ipairs(states) do
  for unit = 1, 3 do state.r[unit] = state.r[unit] + record.b[unit] end
  save_window(state, true)
  record.w[index] = { state.key, state.bucket, state.finish }
end

-- The rates, and what a settlement must give back.
for s, scope in ipairs(plan) do
  local rate = rates[s]
  local fields = {}
  if scope.q then
    rate.q = rate.q - RATE_PARTS
    fields = { 'ql', rate.q, 'qa', now }
  end
  if scope.t then
    local parts = token_parts(scope.t)
    rate.t = rate.t - parts
    fields[#fields + 1] = 'tl'; fields[#fields + 1] = rate.t
    fields[#fields + 1] = 'ta'; fields[#fields + 1] = now
    record.t[#record.t + 1] = { rate.key, parts, scope.t.l, scope.t.c }
  end
  if scope.m then
    rate.n = rate.n + 1
    fields[#fields + 1] = 'n'; fields[#fields + 1] = rate.n
    record.c[#record.c + 1] = rate.key
  end
  if #fields > 0 then
    redis.call('HSET', rate.key, unpack(fields))
    keep_alive(rate.key, rate.day, now)
  end
end

-- The reservation itself: b bound, w windows { key, bucket, end }, t token buckets { key, parts, limit, capacity },
-- c scopes in which it counts as open.
redis.call('HSET', KEYS[2], id, cmsgpack.pack(record))
redis.call('ZADD', KEYS[1], now + LEASE_MS, id)
-- These two vanish whenever nothing is in flight: their expiry is set when they begin, and now and then.
if redis.call('HLEN', KEYS[2]) == 1 or now % 256 == 0 then
  redis.call('PEXPIRE', KEYS[1], text(IDLE_MS))
  redis.call('PEXPIRE', KEYS[2], text(IDLE_MS))
end

local windows, levels = figures(states, rates)
return { 1, granted, windows, levels }
