-- Publishes one shard of a cluster, whose nodes share the shards, unless a later leader has published it already.
--
-- KEYS[1]  the shard
-- ARGV[1]  the writer's epoch
-- ARGV[2]  document ('' removes it)
-- ARGV[3]  lifetime in ms (0: none)
--
-- Returns {1, 1} or {0, epoch of the writer that forbids it}.

-- Fencing: the epoch is at the head of every document. What somebody has put there instead is no shard and is replaced.
local head = redis.pcall('GETRANGE', KEYS[1], 0, 63)
local highest = 0
if type(head) == 'string' then
  highest = tonumber(string.match(head, '"epoch":(%d+)') or '0')
end
if tonumber(ARGV[1]) < highest then
  return {0, highest}
end

if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
elseif tonumber(ARGV[3]) > 0 then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else
  redis.call('SET', KEYS[1], ARGV[2])
end
return {1, 1}
