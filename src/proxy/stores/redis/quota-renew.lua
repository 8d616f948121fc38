-- Prolongs the lease of a reservation; one that has been charged stays so.
-- KEYS: base:open
-- ARGV: now, id
-- XX: only where it is there.
return redis.call('ZADD', KEYS[1], 'XX', now + 60000, ARGV[2])
