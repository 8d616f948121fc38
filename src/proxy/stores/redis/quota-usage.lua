-- What stands against the limits of a plan; changes nothing but charging what has expired.
-- KEYS: base:open, base:reservations
-- ARGV: now, base:whole where only whole counters count, else '', plan (JSON)
-- Returns numbers with a space between them: 1, clock, six figures a window, then the start and the next reset (or -1) of
-- each, then three levels a scope with rates. Or 3: the counters are not whole.
if ARGV[2] ~= '' and redis.call('EXISTS', ARGV[2]) == 0 then return '3' end
local plan = cjson.decode(ARGV[3])
sweep(KEYS[1], KEYS[2])
-- Before anything is met that cannot be read.
save_windows()

local figures, spans = {}, {}
local windows = windows_of(plan)
for index, window in ipairs(windows) do
  local state = read_window(window)
  local start, reset
  if window[2] > 0 then
    start, reset = rolling().span_of(window, state)
  else
    start, reset = string.match(window[1], '(%d+)$') * 1000, window[3] > 0 and window[3] or -1
  end
  figures[index], spans[index] = figures_of(state), text(start) .. ' ' .. text(reset)
end
local reply = { '1', text(now), unpack(figures) }
for _, span in ipairs(spans) do reply[#reply + 1] = span end
if plan[4] then reply[#reply + 1] = rates().figures(rates().read(plan[4])) end
return table.concat(reply, ' ')
