-- Takes `released` from what is reserved in a window and adds `used` to what is spent, neither ever below zero (the
-- reservation may be older than the counter); `requests` more were charged. In a rolling window it is spent in the
-- bucket of `at`, unless that has dropped out.
local function charge_window(window, released, used, requests, at)
  local state = read_window(window)
  local is_rolling = window[2] > 0
  if is_rolling then used = rolling().spend(window, state, used, at) end
  for unit = 1, 3 do
    local spent, reserved = state[unit] + used[unit], state[unit + 3] - released[unit]
    state[unit], state[unit + 3] = spent > 0 and spent or 0, reserved > 0 and reserved or 0
  end
  if is_rolling then
    rolling().save(window, state)
    keep_window(window, state, 0)
  else
    note_change(window, state, requests)
  end
end

-- The same in several windows. One that cannot be read, as somebody else wrote it, is passed over: to stop there would leave
-- all else that goes in the call charged by half.
local function charge_windows(windows, released, used, requests, at)
  for index = 1, #windows do pcall(charge_window, windows[index], released, used, requests, at) end
end

-- One request fewer is open in a scope; never below zero.
local function leave(key)
  if redis.call('HINCRBY', key, 'n', -1) >= 0 then return end
  redis.call('HSET', key, 'n', 0)
  redis.call('PEXPIRE', key, IDLE_MS)
end

-- A record (quota-admit.lua); nil where the text is none.
local function record_in(packed)
  local is_packed, record = pcall(cmsgpack.unpack, packed)
  if not is_packed or type(record) ~= 'table' or type(record.b) ~= 'table' then return nil end
  for unit = 1, 3 do
    if type(record.b[unit]) ~= 'number' then return nil end
  end
  return type(record.w) == 'table' and type(record.t) == 'table' and type(record.c) == 'table' and record or nil
end

-- Charges a record's windows: releases what was reserved, counts what was used. Never raises an error.
local function charge_record(record, used)
  local requests = used[1] + used[2] + used[3] > 0 and 1 or 0
  charge_windows(record.w, record.b, used, requests, now)
  local concurrent = record.c
  for index = 1, #concurrent do pcall(leave, concurrent[index]) end
end
