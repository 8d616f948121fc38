-- Reserves amounts in a window that was read.
local function reserve(window, state, bound)
  for unit = 1, 3 do state[unit + 3] = state[unit + 3] + bound[unit] end
  if window[2] == 0 then return note_change(window, state) end
  if #state.dropped > 0 then
    rolling().save(window, state)
  else
    redis.call('HSET', window[1], 'r1', state[4], 'r2', state[5], 'r3', state[6])
  end
  keep_window(window, state, 0)
end
