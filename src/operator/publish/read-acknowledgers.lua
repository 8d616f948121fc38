-- Names of the instances that have acknowledged something. Whoever holds the owner's login can put anything there, so
-- there is a bound to what is told: of more names some, which ones is chance, and none that is longer than a name can be.
--
-- KEYS[1]  set of names
-- ARGV[1]  how many, at most
-- ARGV[2]  longest name, in bytes; longer ones are taken out
--
-- Returns the names.

if redis.call('TYPE', KEYS[1]).ok ~= 'set' then
  return {}
end
local longest = tonumber(ARGV[2])
local names = {}
for _, name in ipairs(redis.call('SRANDMEMBER', KEYS[1], ARGV[1])) do
  if #name <= longest then
    names[#names + 1] = name
  else
    redis.call('SREM', KEYS[1], name)
  end
end
return names
