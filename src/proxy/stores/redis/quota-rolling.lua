-- Module: rolling windows. The state of one has besides `oldest` and `newest`, the numbers of its buckets within the window
-- if any, `dropped`, the fields that are to go, and `touched`, what is to be written.

-- Buckets of a window beside the running one; of domain/quota/windows.ts.
local ROLLING_BUCKETS = 60

-- Far more than lie between the oldest and the newest, unless the clock has jumped.
local MOST_BUCKETS = 256

-- Numbers of the buckets from `first` to `last`, in their order; of very many those that hold something: a clock that
-- was years away must not have Redis look at every second in between.
local function between(window, first, last)
  local numbers = {}
  if last - first < MOST_BUCKETS then
    for n = first, last do numbers[#numbers + 1] = n end
    return numbers
  end
  local fields = redis.call('HGETALL', window[1])
  for at = 1, #fields, 2 do
    local n = tonumber(string.match(fields[at], '^b(%-?%d+)$'))
    if n and n >= first and n <= last then numbers[#numbers + 1] = n end
  end
  table.sort(numbers)
  return numbers
end

-- The number of the oldest bucket that counts.
local function cut_of(bucket)
  return math.floor(now / bucket) - ROLLING_BUCKETS
end

-- Cost, input and output tokens of a bucket; nothing where somebody else wrote it.
local function amounts_of(packed)
  local c, i, o = string.match(packed, '^(-?%d+),(-?%d+),(-?%d+)$')
  return { tonumber(c) or 0, tonumber(i) or 0, tonumber(o) or 0 }
end

-- Leaves out the buckets that are older than the window.
local function read(window, state)
  state.dropped, state.touched = {}, {}
  state.oldest, state.newest = tonumber(state[9] or nil), tonumber(state[10] or nil)
  -- Every spend drops what is too old first, so that some sixty buckets lie between them, unless the clock has jumped.
  local cut = cut_of(window[2])
  if not state.oldest or state.oldest >= cut then return end
  local fields = {}
  for index, n in ipairs(between(window, state.oldest, math.min(cut - 1, state.newest))) do fields[index] = 'b' .. text(n) end
  for index, packed in ipairs(#fields > 0 and redis.call('HMGET', window[1], unpack(fields)) or {}) do
    if packed then
      for unit, amount in ipairs(amounts_of(packed)) do state[unit] = math.max(0, state[unit] - amount) end
      state.dropped[#state.dropped + 1] = fields[index]
    end
  end
  -- The oldest left may be later than the cut; an empty bucket in between costs nothing.
  if state.newest < cut then state.oldest, state.newest = nil, nil else state.oldest = cut end
end

-- Puts what was used into the bucket of `at`. Returns what counts of it: nothing where that bucket has dropped out.
local function spend(window, state, used, at)
  local n = math.floor(at / window[2])
  if n < cut_of(window[2]) then return { 0, 0, 0 } end
  local field = 'b' .. text(n)
  local held = amounts_of(redis.call('HGET', window[1], field) or '0,0,0')
  local amounts = text(held[1] + used[1]) .. ',' .. text(held[2] + used[2]) .. ',' .. text(held[3] + used[3])
  state.touched = { field, amounts }
  state.oldest, state.newest = math.min(state.oldest or n, n), math.max(state.newest or n, n)
  return used
end

-- Writes the window.
local function save(window, state)
  local fields = { 's1', state[1], 's2', state[2], 's3', state[3], 'r1', state[4], 'r2', state[5], 'r3', state[6], unpack(state.touched) }
  if state.oldest then
    fields[#fields + 1] = 'o'; fields[#fields + 1] = state.oldest
    fields[#fields + 1] = 'z'; fields[#fields + 1] = state.newest
  else
    state.dropped[#state.dropped + 1] = 'o'; state.dropped[#state.dropped + 1] = 'z'
  end
  redis.call('HSET', window[1], unpack(fields))
  if #state.dropped > 0 then redis.call('HDEL', window[1], unpack(state.dropped)) end
end

-- When at least `excess` of the unit will have dropped out; -1: never. `amount_in` as in quota-decide.lua.
local function reset_at(window, state, unit, excess, amount_in)
  if not state.oldest then return -1 end
  local freed = 0
  for _, n in ipairs(between(window, state.oldest, state.newest)) do
    local packed = redis.call('HGET', window[1], 'b' .. text(n))
    if packed then
      freed = freed + amount_in(unit, amounts_of(packed), 1)
      if freed >= excess then return (n + ROLLING_BUCKETS + 1) * window[2] end
    end
  end
  return -1
end

-- Start of the window, and when the oldest amount in it drops out; -1: never.
local function span_of(window, state)
  local start = cut_of(window[2]) * window[2]
  if not state.oldest then return start, -1 end
  -- Empty buckets may lie in between: the oldest that holds something.
  for _, n in ipairs(between(window, state.oldest, state.newest)) do
    if redis.call('HEXISTS', window[1], 'b' .. text(n)) == 1 then return start, (n + ROLLING_BUCKETS + 1) * window[2] end
  end
  return start, -1
end

return { read = read, spend = spend, save = save, reset_at = reset_at, span_of = span_of }
