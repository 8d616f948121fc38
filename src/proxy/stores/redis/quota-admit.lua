-- Admissions of a plan, each as if the others came before or after it: checks every limit of the plan and reserves the
-- need in all of them, or changes nothing.

-- No counter, but a note for who watches the limits: at this level and under this limit a request did not fit.
-- NOTED_BELOW_PART of domain/quota/exhausted.ts.
local function note_refusal(plan, windows, refusal)
  local at = refusal[2] * 3 + 2
  local window, unit, limit = windows[plan[at]], plan[at + 1], plan[at + 2]
  if (limit - refusal.spent) * 2 < limit then
    redis.call('HSET', window[1], 'x' .. unit, text(limit) .. ':' .. text(refusal.spent))
  end
end

-- Which of the ids were used before, open or ended: a call that was delayed until after its settlement must not
-- reserve again.
local function used_before(ids)
  local records, ended, used = redis.call('HMGET', KEYS[2], unpack(ids)), {}, {}
  for index = 1, #ids do
    used[ids[index]] = records[index] and true
    ended[index] = ended_key(ids[index])
  end
  if redis.call('EXISTS', unpack(ended)) > 0 then
    for index = 1, #ids do
      if redis.call('EXISTS', ended[index]) == 1 then used[ids[index]] = true end
    end
  end
  return used
end

-- Of the pairs in ARGV from `first` on: the id of a request, and its need (quota-need.lua). `none_open` says that there is
-- no reservation so far. Returns a text for each, of numbers with a space between them:
--   1, granted tokens a choice, clock (windows_of of quota-plan.lua), six figures a window as they stood before (spent
--   and reserved cost, input and output tokens), three levels a scope with rates as they stand now
--   0 and more: `refused` of quota-decide.lua
--   2: the id was used before
local function admit(first, plan, none_open)
  local scopes, rate = plan[4], plan[4] and rates()
  local windows, stale = windows_of(plan)
  local levels = rate and rate.read(scopes)
  local ids = {}
  for at = first, #ARGV, 2 do ids[#ids + 1] = ARGV[at] end
  local used, records, leases, replies = used_before(ids), {}, {}, {}

  local function admit_one(id, figures)
    if used[id] then return '2' end
    local need, rate_tokens, open = need_in(figures)
    local states = {}
    for index = 1, #windows do states[index] = read_window(windows[index]) end

    -- Decide: budgets and token quotas first, because no retry cures them.
    local granted, refusal = decide_size(plan, windows, states, need, open)
    if rate and not refusal then refusal = rate.decide(scopes, levels, rate_tokens) end
    if refusal then
      if refusal.spent then note_refusal(plan, windows, refusal) end
      return refused(refusal, rate and rate.figures(levels))
    end

    -- Apply. The reservation itself: b bound, w windows { key, bucket, end }, t token buckets { key, parts, limit, capacity },
    -- c scopes in which it counts as open.
    local bound = open and open_answer().bound_of(need, open, granted) or need
    local record = { b = bound, w = windows, t = {}, c = {} }
    local reply = { '1', open and text(granted) or '0', stale }
    for index = 1, #windows do
      reply[index + 3] = figures_of(states[index])
      reserve(windows[index], states[index], bound)
    end
    if rate then
      rate.note(scopes, rate_tokens, record)
      rate.take(scopes, levels, rate_tokens)
      reply[#reply + 1] = rate.figures(levels)
    end
    used[id] = true
    records[#records + 1] = id; records[#records + 1] = cmsgpack.pack(record)
    -- RESERVATION_LEASE_MS of the port.
    leases[#leases + 1] = now + 60000; leases[#leases + 1] = id
    return table.concat(reply, ' ')
  end

  for index = 1, #ids do replies[index] = admit_one(ids[index], ARGV[first + 2 * index - 1]) end

  if #records > 0 then
    redis.call('HSET', KEYS[2], unpack(records))
    redis.call('ZADD', KEYS[1], unpack(leases))
    if rate then rate.save(scopes, levels) end
    -- These two vanish whenever nothing is in flight: their expiry is set when they begin, and now and then.
    if none_open or now % 256 == 0 then
      redis.call('PEXPIRE', KEYS[1], IDLE_MS)
      redis.call('PEXPIRE', KEYS[2], IDLE_MS)
    end
  end
  return replies
end
