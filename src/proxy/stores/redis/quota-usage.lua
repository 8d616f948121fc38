-- What stands against the limits of a plan; changes nothing but charging what has expired.
-- KEYS: base:open
-- ARGV: now, base, plan (JSON), '1' where only whole counters count, else ''
-- Returns { } where they are not whole, else { now, window figures, { start, next reset or -1 } a window, rate levels }
local now = clock(ARGV[1])
local base, plan = ARGV[2], cjson.decode(ARGV[3])
if is_lost(base, ARGV[4]) then return {} end
sweep(base, now)
local states, rates = read_plan(base, plan, now)
local spans = {}
for _, state in ipairs(states) do
  spans[#spans + 1] = state.start
  local reset = state.finish > 0 and state.finish or -1
  if state.bucket > 0 and state.o then
    -- Empty buckets may lie in between: the oldest that holds something.
    for n = state.o, state.z do
      if redis.call('HEXISTS', state.key, 'b' .. text(n)) == 1 then
        reset = (n + ROLLING_BUCKETS + 1) * state.bucket
        break
      end
    end
  end
  spans[#spans + 1] = reset
end
local windows, levels = figures(states, rates)
return { now, windows, spans, levels }
