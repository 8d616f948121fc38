-- Publishes shards as one change, unless a later leader has published already.
--
-- KEYS[1]  highest epoch that has written
-- KEYS[2]  index: name of a shard -> its revision; absent where there are no shards
-- KEYS[3..] the shards, in the order of the arguments; none: only the epoch is compared and noted
-- ARGV[1]  the writer's epoch
-- ARGV[2]  channel of the hint
-- ARGV[3..] three a shard: document ('' removes it), revision ('' takes it out of the index), lifetime in ms (0: none)
--
-- Returns {1, number of shards} or {0, epoch of the writer that forbids it}.

-- Fencing: a leader that slept through the end of its term must not undo what its successor wrote.
local highest = tonumber(redis.call('GET', KEYS[1]) or '0') or 0
local epoch = tonumber(ARGV[1])
if epoch < highest then
  return {0, highest}
end
if epoch > highest then
  redis.call('SET', KEYS[1], ARGV[1])
end

local names = {}
for i = 3, #KEYS do
  local at = 3 + (i - 3) * 3
  local document, revision, lifetime = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  if document == '' then
    redis.call('DEL', KEYS[i])
  elseif lifetime > 0 then
    redis.call('SET', KEYS[i], document, 'PX', lifetime)
  else
    redis.call('SET', KEYS[i], document)
  end
  if revision == '' then
    redis.call('HDEL', KEYS[2], KEYS[i])
  else
    redis.call('HSET', KEYS[2], KEYS[i], revision)
  end
  names[#names + 1] = KEYS[i]
end

-- Readers ask once a second anyway; the hint saves them the wait.
if #names > 0 then
  redis.call('PUBLISH', ARGV[2], table.concat(names, ' '))
end
return {1, #names}
