-- Whoever touches an organization charges what others left behind. Returns whether no reservation is open.
local function sweep(open, reservations)
  local first = redis.call('ZRANGE', open, '0', '0', 'WITHSCORES')
  if not first[1] then return true end
  return tonumber(first[2]) <= now and expire().charge(open, reservations)
end
