-- Module: answers without a maximum, { n choices, l least and h highest tokens a choice, p price, r what is reserved already: cost,
-- input, output, or nil }.

-- That of a need: all of these in this order.
local function read(figures)
  local choices, least, highest, price, held = string.match(figures, '(%S+) (%S+) (%S+) (%S+)(.*)$')
  local open = { n = tonumber(choices), l = tonumber(least), h = tonumber(highest), p = tonumber(price) }
  local cost, input, output = string.match(held, '(%S+) (%S+) (%S+)')
  if cost then open.r = { cost + 0, input + 0, output + 0 } end
  return open
end

-- Cost bound of tokens; openCost of domain/quota/amounts.ts.
local function cost_of(open, tokens)
  local femto = tokens * open.p
  if femto > 9007199254740991 then return math.floor(femto / 1e9) + 1 end
  -- Not %, which Lua computes by a quotient that may be rounded.
  local rest = math.fmod(femto, 1e9)
  return (femto - rest) / 1e9 + (rest > 0 and 1 or 0)
end

-- What is reserved for a need whose open part was granted so many tokens a choice; boundOf of amounts.ts.
local function bound_of(need, open, granted)
  local tokens = granted * open.n
  local bound = { need[1] + cost_of(open, tokens), need[2], need[3] + tokens }
  if open.r then
    for unit = 1, 3 do bound[unit] = math.max(0, bound[unit] - open.r[unit]) end
  end
  return bound
end

-- What there is for the answer where a limit leaves so much; leftForOpen of amounts.ts.
local function left_for(need, open, unit, left)
  local held = open.r or { 0, 0, 0 }
  if unit == 1 then return left + held[1] - need[1] end
  local rest = left + held[3] - need[3]
  return unit == 4 and rest + math.min(0, held[2] - need[2]) or rest
end

-- Tokens a choice for which `left` of the unit is enough; openTokens of domain/quota/decide.ts.
local function tokens_for(open, unit, left)
  if unit == 2 then return open.h end
  if unit ~= 1 then return math.min(open.h, math.floor(left / open.n)) end
  if open.p == 0 then return open.h end
  local tokens = math.min(open.h, math.floor(left * 1e9 / open.p / open.n))
  while tokens > open.l and cost_of(open, tokens * open.n) > left do tokens = tokens - 1 end
  return math.max(tokens, open.l)
end

return { read = read, bound_of = bound_of, left_for = left_for, tokens_for = tokens_for }
