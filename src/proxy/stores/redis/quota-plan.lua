-- A plan is { from, until, windows, rates or false, then three numbers for each limit that blocks: number of the window,
-- unit, amount }. Its windows are those that hold every moment from `from` until before `until`: clients date them by the
-- clock of an earlier reply, so that they are right but for the first call and the first of a new window.

-- The windows of a plan that hold `now`, and the clock for a client that has to date its plan anew, else '0'.
local function windows_of(plan)
  local windows = plan[3]
  if now >= plan[1] and now < plan[2] then return windows, '0' end
  calendar().date(windows)
  return windows, text(now)
end
