-- What a request needs, written in one text (`needText` of quota-plan.ts): cost, input tokens, output tokens, rate tokens; and of
-- an open answer choices, least and highest tokens a choice, price, and what is reserved for it already where something is.
-- Returns { cost, input, output }, rate tokens as text, and the open answer or nil.
local function need_in(figures)
  local cost, input, output, rate, rest = string.match(figures, '^(%S+) (%S+) (%S+) (%S+)(.*)$')
  return { cost + 0, input + 0, output + 0 }, rate, rest ~= '' and open_answer().read(rest) or nil
end
