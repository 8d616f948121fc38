-- Module: settles what is no open reservation (any more). Returns what became of it.
local function settle(ended_key, actual, plan)
  local ended = redis.call('GET', ended_key)
  local outcome = 'unknown'
  if ended and ended ~= '' then
    -- It expired and was charged at its bound at `at`: what was really used becomes the truth.
    local expired = cmsgpack.unpack(ended)
    local difference = { actual[1] - expired.b[1], actual[2] - expired.b[2], actual[3] - expired.b[3] }
    for _, window in ipairs(expired.w) do charge_window(window, { 0, 0, 0 }, difference, 0, expired.at) end
    outcome = 'corrected'
  elseif not ended and plan ~= '' then
    -- Spent during a grace period without the store's word, or reserved in a Redis that has lost it: counts now.
    local windows = windows_of(cjson.decode(plan))
    for _, window in ipairs(windows) do charge_window(window, { 0, 0, 0 }, actual, 1, now) end
    outcome = 'charged'
  end
  if ended then redis.call('SET', ended_key, '', 'PX', '3600000') end
  return outcome
end

return { settle = settle }
