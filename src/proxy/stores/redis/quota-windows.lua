-- Counters of budgets and token quotas. A window is { key, bucket length (0: calendar), end (0: none) }; its state is
-- what the key holds: 1 2 3 spent and 4 5 6 reserved cost, input and output tokens, as text, 7 q, 8 d, 9 o, 10 z.

-- Reads a window without changing it.
local function read_window(window)
  local state
  if window[3] > 0 then
    state = redis.call('HMGET', window[1], 's1', 's2', 's3', 'r1', 'r2', 'r3', 'q')
  else
    state = redis.call('HMGET', window[1], 's1', 's2', 's3', 'r1', 'r2', 'r3', 'q', 'd', 'o', 'z')
  end
  for field = 1, 6 do state[field] = state[field] or '0' end
  if window[2] > 0 then rolling().read(window, state) end
  return state
end

-- Sees to the end of life of a window that was written, `added` fields of it for the first time.
local function keep_window(window, state, added)
  if window[3] == 0 then
    keep_alive(window[1], state[8])
  elseif added > 0 then
    -- Kept for an hour, for late settlements. Relative to the server's clock even where a test hands in another one.
    redis.call('PEXPIRE', window[1], text(math.max(0, window[3] - now) + 3600000))
  end
end
