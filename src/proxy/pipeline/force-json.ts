/**
 * Stage, in place of the plain provider call where `force-json` is on: an answer that is valid JSON, or none.
 *
 *   ask    natively where the model can (schema, JSON mode), in words otherwise; never as a stream
 *   read   what the client would see: values restored where its key may have them
 *   repair once: the answer and what is wrong with it go back to the model
 *
 * Both tries are paid for. The client's stream, if it asked for one, begins when the answer is known to be valid.
 */
import type { CompletionRequest, ResponseFormat } from '../../domain/completion/request.ts'
import type { Choice, Usage } from '../../domain/completion/result.ts'
import { GatewayError, InvalidRequestError } from '../../domain/errors.ts'
import { clientFormatOf } from '../../domain/formats/registry.ts'
import {
  ANY_OBJECT,
  jsonInstruction,
  readJson,
  repairInstruction,
  type JsonCheck,
} from '../../domain/guardrails/json-shape.ts'
import { parseJson } from '../../domain/json-parse.ts'
import type { JsonValue } from '../../domain/json.ts'
import { chargeOf } from '../../domain/quota/amounts.ts'
import { estimateUsage, generatedText, withPrompt } from '../../domain/quota/estimate.ts'
import type { Deployment } from '../../domain/snapshot/compiled-snapshot.ts'
import { admissionOf } from './admit.ts'
import { callProvider, type ProviderRequest, type WholeAnswer } from './call-provider.ts'
import type { RequestRecord } from './request-record.ts'
import type { Services } from './services.ts'
import { believedUsage } from './quota/usage-doubts.ts'

/** How a model can be held to JSON. */
type Ability = 'json-schema' | 'json-mode' | 'words'

/** Between what the model writes and what the client sees of it. */
export interface ClientView {
  /** What the client will see of a text. */
  restore(text: string): string
  /** What the model may see of what the client sees. */
  hide(text: string): string
}

/** @throws {GatewayError} 502 `invalid_structured_output`, 400 where the request's schema is none, or as `callProvider`. */
export async function callForJson(
  call: ProviderRequest,
  view: ClientView,
  record: RequestRecord,
  services: Services,
): Promise<WholeAnswer> {
  const check = await checkFor(call.request, view, services)
  const first = await ask(call, record, services)
  const problems = problemsOfPaid(first, check, view, record, services)
  if (problems.length === 0) return first

  countTry(first, record, services)
  const repair = repairing(call, first, view.hide(repairInstruction(problems)))
  const asked = admissionOf(repair.request, true)
  // What is estimated from here on has the longer prompt.
  record.promptSize = asked.prompt
  const second = await ask({ ...repair, reserved: call.reserved.for(asked) }, record, services)
  const remaining = problemsOfPaid(second, check, view, record, services)
  if (remaining.length === 0) return second
  record.meter.usage = usageOf(second, record, services)
  throw new GatewayError(
    'invalid_structured_output',
    `The model gave no valid JSON, also when asked again: ${remaining.join('; ')}.`,
  )
}

/** The schema as the client wrote it: what the client will see is checked. */
async function checkFor(
  { responseFormat }: CompletionRequest,
  { restore }: ClientView,
  { guardrails }: Services,
): Promise<JsonCheck> {
  const schema = responseFormat?.type === 'json-schema' ? restored(responseFormat.schema, restore) : ANY_OBJECT
  const schemas = await guardrails.jsonSchemas()
  const check = schemas.compile(schema)
  if ('problemsOf' in check) return check
  throw new InvalidRequestError(`The schema of the answer cannot be used: ${check.reason}`, 'response_format')
}

function restored(schema: JsonValue, restore: ClientView['restore']): JsonValue {
  const text = JSON.stringify(schema)
  const seen = restore(text)
  return seen === text ? schema : parseJson(seen)
}

async function ask(call: ProviderRequest, record: RequestRecord, services: Services): Promise<WholeAnswer> {
  const forms = new Map<Ability, CompletionRequest>()
  const answer = await callProvider(
    {
      ...call,
      stream: false,
      bytes: undefined,
      requestFor(deployment) {
        const ability = abilityOf(deployment, call.request.responseFormat)
        const known = forms.get(ability) ?? heldTo(call.request, ability)
        forms.set(ability, known)
        return known
      },
    },
    record,
    services,
  )
  if (answer.type !== 'whole') throw new Error('a stream was answered where none was asked')
  record.served = answer.deployment
  return answer
}

function abilityOf({ model }: Deployment, format: ResponseFormat | undefined): Ability {
  if (format?.type === 'json-schema' && model.capabilities.includes('json-schema')) return 'json-schema'
  return model.capabilities.includes('json-mode') ? 'json-mode' : 'words'
}

/** The client's request with the orders that a model of this ability needs. */
function heldTo(request: CompletionRequest, ability: Ability): CompletionRequest {
  const wanted = request.responseFormat
  const native: ResponseFormat =
    ability === 'words' ? { type: 'text' } : ability === 'json-mode' ? { type: 'json' } : (wanted ?? { type: 'json' })
  const revised = revise(request, {
    responseFormat: native,
    ...(ability === 'json-schema' ? {} : { instruction: jsonInstruction(wanted) }),
  })
  // What the client's own document still says is for servers of its own format.
  return { ...revised, responseFormat: native }
}

function revise(
  request: CompletionRequest,
  revision: Parameters<ReturnType<typeof clientFormatOf>['reviseRequest']>[1],
) {
  const format = clientFormatOf(request.source.format)
  const document = format.reviseRequest(request.source.document, revision)
  return format.parseRequest(document, {
    ...(request.model === undefined ? {} : { model: request.model }),
    stream: request.stream,
  })
}

function repairing(call: ProviderRequest, answer: WholeAnswer, instruction: string): ProviderRequest {
  const [choice] = answer.result.choices
  const said = choice === undefined ? '' : textOf(choice)
  const turns = [
    { role: 'assistant', text: said === '' ? '(nothing)' : said },
    { role: 'user', text: instruction },
  ] as const
  return { ...call, request: revise(call.request, { turns }) }
}

/** As `problemsIn`; an answer that cannot be checked has been given all the same. */
function problemsOfPaid(
  answer: WholeAnswer,
  check: JsonCheck,
  view: ClientView,
  record: RequestRecord,
  services: Services,
): readonly string[] {
  try {
    return problemsIn(answer, check, view)
  } catch (error) {
    record.meter.usage = usageOf(answer, record, services)
    throw error
  }
}

/** What is wrong with the answer's choices. A code fence around the JSON is taken off, in the answer itself. */
function problemsIn(answer: WholeAnswer, check: JsonCheck, { restore }: ClientView): readonly string[] {
  const { format, result } = answer
  if (result.choices.length === 0) return ['there is no answer']
  for (const choice of result.choices) {
    if (choice.content.some((part) => part.type === 'tool-call')) continue
    if (choice.finish.reason === 'length') return ['it was cut off before its end']
    const text = textOf(choice)
    const reading = readJson(restore(text), check)
    if (reading.type === 'invalid') return reading.problems
    const bare = readJson(text, { problemsOf: () => [] })
    if (bare.type === 'json' && bare.text !== text) replaceText(answer, text, bare.text)
  }
  answer.result = format.parseResult(result.source.document)
  return []
}

function textOf(choice: Choice): string {
  return choice.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function replaceText(answer: WholeAnswer, from: string, to: string): void {
  answer.format.visitResultText(answer.result.source.document, ({ text }) => (text === from ? to : text))
  answer.bytes = Buffer.from(JSON.stringify(answer.result.source.document))
}

/** The first try is charged beside the second. */
function countTry(answer: WholeAnswer, record: RequestRecord, services: Services): void {
  const usage = usageOf(answer, record, services)
  if (usage === undefined) return
  record.meter.earlier.push({ usage, charge: chargeOf(usage, answer.deployment.model.pricing) })
}

/** An estimate for a provider that never counts, or not all. A try without any text has read its prompt. */
function usageOf({ result, deployment }: WholeAnswer, record: RequestRecord, services: Services): Usage | undefined {
  if (record.promptSize === undefined) return result.usage
  const text = generatedText(result)
  const guessed = estimateUsage(record.promptSize, text).usage
  const counted = result.usage && believedUsage(result.usage, deployment, record.promptSize, record, services)
  const told = counted === undefined ? guessed : withPrompt(counted, record.promptSize)
  const usage = told.output > 0 || text === '' ? told : { ...told, output: guessed.output }
  if (usage !== result.usage) record.meter.isEstimated = true
  return usage
}
