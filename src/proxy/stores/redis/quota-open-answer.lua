-- Module: answers without a maximum, { n choices, l least and h highest tokens a choice, p price }.

-- That of a need: the four in this order.
local function read(figures)
  local choices, least, highest, price = string.match(figures, '(%S+) (%S+) (%S+) (%S+)')
  return { n = tonumber(choices), l = tonumber(least), h = tonumber(highest), p = tonumber(price) }
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
  return { need[1] + cost_of(open, tokens), need[2], need[3] + tokens }
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

return { read = read, bound_of = bound_of, tokens_for = tokens_for }
