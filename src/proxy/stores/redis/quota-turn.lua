-- A turn of one plan: what has ended is settled, then what asks is admitted.
-- KEYS: base:open, base:reservations
-- ARGV: now ('' for the server's clock), base:whole where only whole counters count, else '', plan (JSON, see quota-plan.lua),
--       number of settlements, what becomes of an unknown reservation, then the settlements (both quota-settle.lua), then
--       the admissions (quota-admit.lua)
-- Returns what the admissions return; '3' where the counters are not whole: then nothing is admitted.
local settlements = ARGV[4] + 0
local first_admission = 6 + 2 * settlements

if settlements > 0 then settle(6, settlements, ARGV[3], ARGV[5]) end
local none_open = sweep(KEYS[1], KEYS[2])

local function admissions()
  if not ARGV[first_admission] then return {} end
  if ARGV[2] ~= '' and redis.call('EXISTS', ARGV[2]) == 0 then return '3' end
  return admit(first_admission, cjson.decode(ARGV[3]), none_open)
end

-- What has been charged stays so where an admission meets a key that it cannot read.
local is_answered, replies = pcall(admissions)
save_windows()
if not is_answered then error(replies, 0) end
return replies
