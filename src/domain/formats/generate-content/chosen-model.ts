/**
 * What a Gemini refuses that the gateway has chosen for a client of this format, or failed over to, put as it takes it: before
 * 2.5 it refuses every word of thinking, 2.5 a level, 4 a budget, each some budgets or levels, from 2.5 on penalties, from 4 on
 * more than one answer, and up to 2.5 JSON beside functions. Who names the model gets its vendor's own word.
 */
import type { CompletionRequest, TranslationWarning } from '../../completion/request.ts'
import { asNumber, asObject, asString, type JsonObject } from '../../json.ts'
import { traitsOf, type ModelTraits } from './model-traits.ts'
import { renderThinking } from './reasoning-translate.ts'
import { nameIn, valueIn } from './spelling.ts'

/** The configuration as the model takes it; undefined where nothing has to change. Adds to `warnings` what is lost. */
export function fitConfig(
  request: CompletionRequest,
  model: string,
  config: JsonObject,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  if (!KNOWN.test(model)) return undefined
  const traits = traitsOf(model)
  const refused = refusedFields(request, traits, config, warnings)
  const thinking = fitThinking(request, model, config, warnings)
  if (refused.length === 0 && thinking === undefined) return undefined
  const fitted = { ...config, ...thinking }
  for (const field of refused) delete fitted[field]
  for (const field in thinking) if (thinking[field] === undefined) delete fitted[field]
  return fitted
}

/** Of other names it is not known what they take. */
const KNOWN = /gemini-\d/i

const PENALTIES = ['frequencyPenalty', 'presencePenalty']
const ANSWER_FORM = ['responseMimeType', 'responseSchema', 'responseJsonSchema']

function refusedFields(
  { tools, responseFormat }: CompletionRequest,
  traits: ModelTraits,
  config: JsonObject,
  warnings: TranslationWarning[],
): string[] {
  const own = (fields: readonly string[]) =>
    fields.map((field) => nameIn(config, field)).filter((name) => (config[name] ?? undefined) !== undefined)
  const penalties = traits.penalties ? [] : own(PENALTIES).filter((name) => config[name] !== 0)
  for (const field of penalties) warnings.push({ field, message: 'the model refuses it; it was left out' })
  const choices = nameIn(config, 'candidateCount')
  const many = (asNumber(config[choices]) ?? 1) > traits.candidates ? [choices] : []
  for (const field of many) warnings.push({ field, message: 'the model gives one answer; it was left out' })
  const wantsBoth = tools.length > 0 && responseFormat !== undefined && responseFormat.type !== 'text'
  if (!wantsBoth || traits.jsonBesideTools) return [...penalties, ...many]
  warnings.push({ field: 'responseMimeType', message: 'the model refuses it beside tools; it was left out' })
  return [...penalties, ...many, ...own(ANSWER_FORM)]
}

/** The field as the model takes it, undefined where none of it; undefined where it may stay. */
function fitThinking(
  request: CompletionRequest,
  model: string,
  config: JsonObject,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  const name = nameIn(config, 'thinkingConfig')
  const asked = asObject(config[name])
  if (asked === undefined || takesThinking(traitsOf(model), asked)) return undefined
  const taken = renderThinking(request.reasoning, model, warnings)
  if (traitsOf(model).thinking === 'none') {
    if (request.reasoning === undefined && valueIn(asked, 'includeThoughts') === true) {
      warnings.push({ field: 'reasoning', message: `${model} does not think; it was left out` })
    }
    return { [name]: undefined }
  }
  const levelName = nameIn(asked, 'thinkingLevel')
  const budgetName = nameIn(asked, 'thinkingBudget')
  const { [levelName]: _level, [budgetName]: _budget, ...own } = asked
  const level = taken?.thinkingLevel
  const budget = traitsOf(model).takesBudget ? (taken?.thinkingBudget ?? DYNAMIC) : undefined
  const said = level !== undefined ? { [levelName]: level } : budget === undefined ? {} : { [budgetName]: budget }
  return { [name]: { ...own, ...said } }
}

/** The budget that leaves it to the model. */
const DYNAMIC = -1

function takesThinking({ thinking, levels, takesBudget, budget, stops }: ModelTraits, asked: JsonObject): boolean {
  if (thinking === 'none') return false
  const level = asString(valueIn(asked, 'thinkingLevel'))?.toUpperCase()
  const tokens = asNumber(valueIn(asked, 'thinkingBudget')) ?? DYNAMIC
  // A word that nobody knows may be a newer one.
  if (level !== undefined) return thinking === 'level' && (levels.some((word) => word === level) || !WORDS.has(level))
  if (!takesBudget && thinking === 'level') return (valueIn(asked, 'thinkingBudget') ?? undefined) === undefined
  if (tokens === DYNAMIC) return true
  return tokens === 0 ? stops : tokens >= budget.min && tokens <= budget.max
}

const WORDS: ReadonlySet<string> = new Set(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'])
