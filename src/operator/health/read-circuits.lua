-- Which circuit breakers the instances of an owner report as open. Whoever holds the owner's login can put anything
-- there, so there is a bound to what is told.
--
-- KEYS[1]  hash: instance -> names of providers
-- ARGV[1]  how many reports, at most: of more none is told
-- ARGV[2]  longest report with its instance's name, in bytes; longer ones are taken out
-- ARGV[3]  length of all together, at most: what would be more is not told
--
-- Returns { instance, names of providers, instance, ... }

if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HLEN', KEYS[1]) > tonumber(ARGV[1]) then
  return {}
end
local longest = tonumber(ARGV[2])
local fields = redis.call('HGETALL', KEYS[1])
local left = tonumber(ARGV[3])
local told = {}
for at = 1, #fields, 2 do
  local length = #fields[at] + #fields[at + 1]
  if length > longest then
    redis.call('HDEL', KEYS[1], fields[at])
  elseif length <= left then
    left = left - length
    told[#told + 1] = fields[at]
    told[#told + 1] = fields[at + 1]
  end
end
return told
