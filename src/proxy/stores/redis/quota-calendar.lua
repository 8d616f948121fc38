-- Module: the windows of UTC's calendar.

-- Days since the epoch of the first of a month, month 1..12 (proleptic Gregorian calendar, years from March on).
local function first_of_month(year, month)
  if month <= 2 then year = year - 1 end
  local era = math.floor(year / 400)
  local year_of_era = year - era * 400
  local day_of_year = math.floor((153 * ((month + 9) % 12) + 2) / 5)
  return era * 146097 + year_of_era * 365 + math.floor(year_of_era / 4) - math.floor(year_of_era / 100) + day_of_year - 719468
end

-- Year and month of a day since the epoch; the inverse of the above.
local function year_and_month(day)
  local shifted = day + 719468
  local era = math.floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524) - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local month = (math.floor((5 * day_of_year + 2) / 153) + 2) % 12 + 1
  local year = year_of_era + era * 400
  if month <= 2 then year = year + 1 end
  return year, month
end

-- Lengths of the even calendar windows, and how far the epoch is after the start of one (it was a Thursday).
local EVEN = { Minute = { 60000, 0 }, Hour = { 3600000, 0 }, Day = { 86400000, 0 }, Week = { 604800000, 3 * 86400000 } }

-- Start and end of the calendar window that holds `now`; end 0: never.
local function calendar_window(name)
  local even = EVEN[name]
  if even then
    local start = now - (now + even[2]) % even[1]
    return start, start + even[1]
  end
  if name == 'Total' then return 0, 0 end
  local year, month = year_and_month(math.floor(now / 86400000))
  local start = first_of_month(year, month) * 86400000
  if month == 12 then year, month = year + 1, 0 end
  return start, first_of_month(year, month + 1) * 86400000
end

-- Replaces the calendar windows of a plan by those that hold `now`.
local function date(windows)
  for _, window in ipairs(windows) do
    -- Keys of rolling windows bear no start.
    local prefix, name = string.match(window[1], '^(.*:(%a+):)%-?%d+$')
    if prefix then
      local start, finish = calendar_window(name)
      window[1], window[3] = prefix .. text(start / 1000), finish
    end
  end
end

return { date = date }
