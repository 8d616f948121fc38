-- Module: settles what is no open reservation (any more). Returns what became of it.
local function settle(ended_key, actual, plan)
  local ended = redis.call('GET', ended_key)
  local outcome = 'unknown'
  if ended and ended ~= '' then
    -- It expired and was charged at its bound at `at`: what was really used becomes the truth.
    local expired = cmsgpack.unpack(ended)
    local difference = { actual[1] - expired.b[1], actual[2] - expired.b[2], actual[3] - expired.b[3] }
    charge_windows(expired.w, { 0, 0, 0 }, difference, 0, expired.at)
    outcome = 'corrected'
  elseif not ended and plan ~= '' then
    -- Spent during a grace period without the store's word, or reserved in a Redis that has lost it: counts now.
    charge_windows(windows_of(cjson.decode(plan)), { 0, 0, 0 }, actual, 1, now)
    outcome = 'charged'
  end
  if ended then redis.call('SET', ended_key, '', 'PX', '3600000') end
  return outcome
end

return { settle = settle }
