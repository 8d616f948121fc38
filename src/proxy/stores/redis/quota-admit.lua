-- Admission of requests of a plan, each as if the others came before or after it: checks every limit of the plan and
-- reserves the need in all of them, or changes nothing.
-- KEYS: base:open, base:reservations
-- ARGV: now ('' for the server's clock), base:whole where only whole counters count, else '', plan (JSON, see
--       quota-plan.lua), then of each request its id and its need (quota-need.lua)
-- Returns '3' where the counters are not whole, else a text a request, of numbers with a space between them:
--   1, granted tokens a choice, clock (windows_of of quota-plan.lua), six figures a window as they stood before (spent
--   and reserved cost, input and output tokens), three levels a scope with rates as they stand now
--   0 and more: `refused` of quota-decide.lua
--   2: the id was used before
if ARGV[2] ~= '' and redis.call('EXISTS', ARGV[2]) == 0 then return '3' end
local plan = cjson.decode(ARGV[3])
local scopes, rate = plan[4], plan[4] and rates()
local none_open = sweep(KEYS[1], KEYS[2])
local windows, stale = windows_of(plan)

-- No counter, but a note for who watches the limits: at this level and under this limit a request did not fit.
-- NOTED_BELOW_PART of domain/quota/exhausted.ts.
local function note_refusal(refusal)
  local at = refusal[2] * 3 + 2
  local window, unit, limit = windows[plan[at]], plan[at + 1], plan[at + 2]
  if (limit - refusal.spent) * 2 < limit then
    redis.call('HSET', window[1], 'x' .. unit, text(limit) .. ':' .. text(refusal.spent))
  end
end

local function admit(id, figures)
  local need, rate_tokens, open = need_in(figures)
  -- A call that was delayed until after its settlement must not reserve again.
  if redis.call('EXISTS', ended_key(id)) == 1 then return '2' end

  -- Gather.
  local states = {}
  for index = 1, #windows do states[index] = read_window(windows[index]) end
  local levels = rate and rate.read(scopes)

  -- Decide: budgets and token quotas first, because no retry cures them.
  local granted, refusal = decide_size(plan, windows, states, need, open)
  if rate and not refusal then refusal = rate.decide(scopes, levels, rate_tokens) end

  if refusal then
    if redis.call('HEXISTS', KEYS[2], id) == 1 then return '2' end
    if refusal.spent then note_refusal(refusal) end
    return refused(refusal, rate and rate.figures(levels))
  end

  -- Apply. The reservation itself: b bound, w windows { key, bucket, end }, t token buckets { key, parts, limit, capacity },
  -- c scopes in which it counts as open.
  local bound = open and open_answer().bound_of(need, open, granted) or need
  local record = { b = bound, w = windows, t = {}, c = {} }
  if rate then rate.note(scopes, rate_tokens, record) end
  -- The id may be in use: then nothing has been changed.
  if redis.call('HSETNX', KEYS[2], id, cmsgpack.pack(record)) == 0 then return '2' end
  -- RESERVATION_LEASE_MS of the port.
  redis.call('ZADD', KEYS[1], now + 60000, id)
  -- These two vanish whenever nothing is in flight: their expiry is set when they begin, and now and then.
  if none_open or now % 256 == 0 then
    redis.call('PEXPIRE', KEYS[1], IDLE_MS)
    redis.call('PEXPIRE', KEYS[2], IDLE_MS)
    none_open = false
  end

  local reply = { '1', open and text(granted) or '0', stale }
  for index = 1, #windows do
    reply[index + 3] = table.concat(states[index], ' ', 1, 6)
    reserve(windows[index], states[index], bound)
  end
  if rate then
    rate.take(scopes, levels, rate_tokens)
    reply[#reply + 1] = rate.figures(levels)
  end
  return table.concat(reply, ' ')
end

local replies = {}
for at = 4, #ARGV, 2 do replies[#replies + 1] = admit(ARGV[at], ARGV[at + 1]) end
return replies
