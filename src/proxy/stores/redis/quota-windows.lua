-- Counters of budgets and token quotas. A window is { key, bucket length (0: calendar), end (0: none) }; its state is
-- what the key holds: 1 2 3 spent and 4 5 6 reserved cost, input and output tokens, 7 q, 8 d, 9 o, 10 z.
--
-- Requests that come together mostly count in the same windows: a calendar window is read once in a call and written
-- once, by `save_windows`. A rolling one is read and written each time.

-- States of calendar windows by key, and those of them that have changed.
local held, changed = {}, {}

-- Reads a window without changing it.
local function read_window(window)
  local state = held[window[1]]
  if state then return state end
  if window[3] > 0 then
    state = redis.call('HMGET', window[1], 's1', 's2', 's3', 'r1', 'r2', 'r3', 'q')
  else
    state = redis.call('HMGET', window[1], 's1', 's2', 's3', 'r1', 'r2', 'r3', 'q', 'd', 'o', 'z')
  end
  -- `+ 0` makes a number of a text in half the time of `tonumber`.
  for field = 1, 7 do state[field] = (state[field] or 0) + 0 end
  if window[2] > 0 then
    rolling().read(window, state)
  else
    held[window[1]] = state
  end
  return state
end

-- The six amounts of a state, as text.
local function figures_of(state)
  return string.format('%.0f %.0f %.0f %.0f %.0f %.0f', unpack(state, 1, 6))
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

-- The reserved amounts of a calendar window have changed; with `requests` (0 or 1), what is spent in it has, too.
local function note_change(window, state, requests)
  if not state.window then
    state.window = window
    changed[#changed + 1] = state
  end
  state.requests = requests and (state.requests or 0) + requests or state.requests
end

-- Writes the calendar windows that have changed.
local function save_windows()
  for index = 1, #changed do
    local state = changed[index]
    local window, requests, added = state.window, state.requests, 0
    if requests then
      added = redis.call('HSET', window[1], 's1', state[1], 's2', state[2], 's3', state[3],
        'r1', state[4], 'r2', state[5], 'r3', state[6], 'q', state[7] + requests)
    else
      added = redis.call('HSET', window[1], 'r1', state[4], 'r2', state[5], 'r3', state[6])
    end
    keep_window(window, state, added)
  end
end
