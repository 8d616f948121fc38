-- Module: rates and concurrency. The limits of a scope are { key, requests a minute, capacity of their bucket, tokens a
-- minute, capacity of theirs, requests open at once }, -1 where it has no such limit; levels are in parts.

-- Parts of one request or token in a bucket; RATE_PARTS of domain/quota/rate.ts.
local RATE_PARTS = 60000
-- Reasons of a refusal; REASONS of quota-reply.ts.
local RATE_LIMIT, CONCURRENCY = '0', '1'

-- Level of a bucket now: a bucket never seen is full, a clock that went back adds nothing, but by more than a bucket takes
-- to fill makes it full; refill of domain/quota/rate.ts.
local function refill(limit, capacity, level, at)
  if not level or (at - now) * limit > capacity then return capacity end
  return math.min(capacity, tonumber(level) + math.max(0, now - tonumber(at)) * limit)
end

-- Levels of the buckets of each scope and its open requests; 0 where it has no such limit. `d` as in the key.
local function read(rates)
  local states = {}
  for index, limits in ipairs(rates) do
    local raw = redis.call('HMGET', limits[1], 'ql', 'qa', 'tl', 'ta', 'n', 'd')
    states[index] = {
      q = limits[2] >= 0 and refill(limits[2], limits[3], raw[1], raw[2]) or 0,
      t = limits[4] >= 0 and refill(limits[4], limits[5], raw[3], raw[4]) or 0,
      n = limits[6] < 0 and 0 or tonumber(raw[5] or 0), d = raw[6],
    }
  end
  return states
end

-- What a request takes from a token bucket: never nothing, never more than a full one holds.
local function token_parts(limits, tokens)
  return math.max(RATE_PARTS, math.min(tokens * RATE_PARTS, limits[5]))
end

-- Milliseconds until a level reaches what is needed; a limit of zero lets nothing pass.
local function wait(limit, level, parts)
  if limit < 0 or level >= parts then return 0 end
  if limit == 0 then return 60000 end
  return math.ceil((parts - level) / limit)
end

-- Concurrency, then the rate that keeps the request waiting longest: the refusal, or nil. { reason, number of the scope,
-- retry after, reset at }, `kind` '2' for a token rate.
local function decide(rates, states, tokens)
  for index, limits in ipairs(rates) do
    if limits[6] >= 0 and states[index].n >= limits[6] then return { CONCURRENCY, index, 1000, -1 } end
  end
  local longest, refusal = 0, nil
  for index, limits in ipairs(rates) do
    local state = states[index]
    local for_request = wait(limits[2], state.q, RATE_PARTS)
    if for_request > longest then longest, refusal = for_request, { RATE_LIMIT, index, for_request, -1 } end
    local for_tokens = wait(limits[4], state.t, token_parts(limits, tokens))
    if for_tokens > longest then longest, refusal = for_tokens, { RATE_LIMIT, index, for_tokens, -1, kind = '2' } end
  end
  return refusal
end

-- Notes in a record what its settlement gives back.
local function note(rates, tokens, record)
  for _, limits in ipairs(rates) do
    if limits[4] >= 0 then record.t[#record.t + 1] = { limits[1], token_parts(limits, tokens), limits[4], limits[5] } end
    if limits[6] >= 0 then record.c[#record.c + 1] = limits[1] end
  end
end

-- Takes a request and its tokens from the levels of each scope, and counts it as open.
local function take(rates, states, tokens)
  for index, limits in ipairs(rates) do
    local state = states[index]
    if limits[2] >= 0 then state.q = state.q - RATE_PARTS end
    if limits[4] >= 0 then state.t = state.t - token_parts(limits, tokens) end
    if limits[6] >= 0 then state.n = state.n + 1 end
  end
end

-- Writes the levels of each scope, from which something was taken.
local function save(rates, states)
  for index, limits in ipairs(rates) do
    local state, fields = states[index], {}
    if limits[2] >= 0 then fields = { 'ql', state.q, 'qa', now } end
    if limits[4] >= 0 then
      fields[#fields + 1] = 'tl'; fields[#fields + 1] = state.t
      fields[#fields + 1] = 'ta'; fields[#fields + 1] = now
    end
    if limits[6] >= 0 then
      fields[#fields + 1] = 'n'; fields[#fields + 1] = state.n
    end
    redis.call('HSET', limits[1], unpack(fields))
    keep_alive(limits[1], state.d)
  end
end

-- A token bucket of a record, { key, parts taken, limit, capacity }, took a guess; it gets the difference back, or goes
-- into debt for at most a minute.
local function correct(bucket, tokens)
  local key, parts, limit, capacity = unpack(bucket)
  local raw = redis.call('HMGET', key, 'tl', 'ta')
  local level = refill(limit, capacity, raw[1], raw[2]) + parts - tokens * RATE_PARTS
  redis.call('HSET', key, 'tl', math.max(-capacity, math.min(capacity, level)), 'ta', now)
  if not raw[1] then redis.call('PEXPIRE', key, IDLE_MS) end
end

-- The states for the reply: three figures a scope.
local function figures(states)
  local levels = {}
  for _, state in ipairs(states) do levels[#levels + 1] = text(state.q) .. ' ' .. text(state.t) .. ' ' .. text(state.n) end
  return table.concat(levels, ' ')
end

return { read = read, decide = decide, note = note, take = take, save = save, correct = correct, figures = figures }
