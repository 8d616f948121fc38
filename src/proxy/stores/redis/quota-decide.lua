-- Whether a need fits into budgets and token quotas.

-- The part of the three amounts from `first` on that a limit's unit counts: 1 cost, 2 input, 3 output, 4 input and output.
local function amount_in(unit, amounts, first)
  if unit == 4 then return amounts[first + 1] + amounts[first + 2] end
  return amounts[first + unit - 1]
end

-- What a request takes at least of which so much is missing, and so much is its own; withOwn of domain/quota/decide.ts.
local function with_own(missing, own)
  local whole = {}
  for part = 1, 3 do whole[part] = missing[part] > 0 and own[part] + missing[part] or 0 end
  return whole
end

-- Whether the need fits into every limit of a plan; decideSize of domain/quota/decide.ts. `own`: nil, or of what is reserved the
-- asking request's.
-- Returns the granted tokens (0: of a need that is not open), or nil and the refusal { reason, number of the limit, retry
-- after, reset at }, with what was `spent` where that is in the way.
local function decide_size(plan, windows, states, need, open, own)
  -- REASONS of quota-reply.ts.
  local BUDGET, TOKEN_QUOTA, RESERVED = '2', '3', '4'
  local granted, least, reserved = 0, need, nil
  if open then granted, least = open.h, open_answer().bound_of(need, open, open.l) end
  local all = own and with_own(least, own) or least
  for at = 5, #plan, 3 do
    local number, unit, limit = plan[at], plan[at + 1], plan[at + 2]
    local state = states[number]
    local needed, spent = amount_in(unit, least, 1), amount_in(unit, state, 1)
    -- More may be spent than the limit: what takes nothing of it does not add to that.
    local whole = own and amount_in(unit, all, 1) or needed
    if needed > 0 and spent + whole > limit then
      local window, reset = windows[number], -1
      -- A request that is larger than the whole limit never fits.
      if whole <= limit and window[2] > 0 then
        reset = rolling().reset_at(window, state, unit, spent + whole - limit, amount_in)
      elseif whole <= limit and window[3] > 0 then
        reset = window[3]
      end
      return nil, { unit == 1 and BUDGET or TOKEN_QUOTA, (at - 2) / 3, -1, reset, spent = spent }
    end
    local left = math.max(0, limit - spent - amount_in(unit, state, 4))
    if needed == 0 and not (open and open.r) then
      -- Nor do reservations stand in its way.
    elseif needed > left then
      reserved = reserved or { RESERVED, (at - 2) / 3, 1000, -1 }
    elseif open then
      local answer = open_answer()
      granted = math.min(granted, answer.tokens_for(open, unit, answer.left_for(need, open, unit, left)))
    end
  end
  if reserved then return nil, reserved end
  return granted
end

-- Reply of a refusal: 0, reason, number of the limit (of a rate: of the scope), 2 for a token rate else 1, retry after,
-- reset at, rate levels.
local function refused(refusal, levels)
  local reply = { '0', refusal[1], text(refusal[2]), refusal.kind or '1', text(refusal[3]), text(refusal[4]), levels or nil }
  return table.concat(reply, ' ')
end
