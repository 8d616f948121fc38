-- Notes that a leader of this epoch writes, unless a later one has.
--
-- KEYS[1]  highest epoch that has written
-- ARGV[1]  the writer's epoch
--
-- Returns {1, 0} or {0, epoch of the writer that forbids it}.

local highest = tonumber(redis.call('GET', KEYS[1]) or '0') or 0
local epoch = tonumber(ARGV[1])
if epoch < highest then
  return {0, highest}
end
if epoch > highest then
  redis.call('SET', KEYS[1], ARGV[1])
end
return {1, 0}
