-- Module: charges what has expired.

-- Expired reservations charged by one call; SWEEP_LIMIT of memory/organization-ledger.ts.
local SWEEP_LIMIT = 20
-- What became of one is kept for an hour, for a settlement that comes after all.
local RETENTION_MS = '3600000'

-- Charges reservations whose lease has ended at their bound, a bounded number a call. Returns whether none is open.
local function charge(open, reservations)
  local base = string.match(open, '^(.*):open$')
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', open, '-inf', text(now), 'LIMIT', 0, SWEEP_LIMIT)) do
    local packed = redis.call('HGET', reservations, id)
    redis.call('ZREM', open, id)
    redis.call('HDEL', reservations, id)
    local record = packed and record_in(packed)
    if record then
      charge_record(record, record.b)
      redis.call('SET', base .. ':ended:' .. id, cmsgpack.pack({ at = now, b = record.b, w = record.w }), 'PX', RETENTION_MS)
    end
  end
  return redis.call('ZCARD', open) == 0
end

return { charge = charge }
