/** A request that came in another format -> chat-completions document, with a warning for all that is lost. */
import type {
  CompletionRequest,
  ResponseFormat,
  Sampling,
  ToolChoice,
  ToolDefinition,
  TranslationWarning,
} from '../../completion/request.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { MAX_USER_CHARACTERS, withoutUndefined } from '../fields.ts'
import { offeredTools } from '../offered-tools.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { smallestLimit } from '../smallest-limit.ts'
import { translateMessages } from './message-translate.ts'
import { formFor, instructionFor } from './answer-form.ts'
import { fromResponses } from './from-responses.ts'
import { traitsOf, type ModelTraits } from './model-traits.ts'
import { renderEffort, renderEffortBesideTools, renderStop } from './reasoning-translate.ts'
import { translateSampling } from './sampling-translate.ts'
import { canBeStrict } from './strict-schema.ts'
import { argumentsSchema, withItems } from './tool-schema.ts'

/** The request in this format. */
export function translateRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  const warnings: TranslationWarning[] = []
  const traits = traitsOf(target.model)
  const tools = offeredTools(request).map((tool, index) => renderTool(tool, index, warnings))
  const instruction = instructionFor(request, target.model, warnings)
  const messages = translateMessages(withInstruction(request, instruction), target.model, warnings)
  const stop = renderStop(request, target.model, warnings)
  const effort = stop.thinking === undefined ? effortOf(request, target, tools.length > 0, warnings) : undefined
  const carried = fromResponses(request, target)
  const document = withoutUndefined({
    model: target.model,
    messages,
    stream: target.stream ? true : undefined,
    stream_options: target.stream ? { include_usage: true } : undefined,
    ...renderLimit(request.sampling, target, warnings),
    ...translateSampling(request.sampling, { traits, effort }, warnings),
    reasoning_effort: effort,
    ...stop,
    response_format: translateResponseFormat(request.responseFormat, target.model, warnings),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? renderToolChoice(request.toolChoice) : undefined,
    parallel_tool_calls: tools.length > 0 ? renderParallelCalls(request, traits, warnings) : undefined,
    user: renderUser(request.user, warnings),
    ...carried?.fields,
  })
  return carried === undefined ? { document, warnings } : { document, warnings, carried: carried.names }
}

function effortOf(
  { reasoning }: CompletionRequest,
  { model }: RenderTarget,
  hasTools: boolean,
  warnings: TranslationWarning[],
): string | undefined {
  if (hasTools) return renderEffortBesideTools(reasoning, model, warnings)
  return reasoning && renderEffort(reasoning, model, warnings)
}

/** An id of another vendor may be longer (Claude Code's has 155 characters): an answer is worth more than who asked. */
function renderUser(user: string | undefined, warnings: TranslationWarning[]): string | undefined {
  if (user === undefined || user.length <= MAX_USER_CHARACTERS) return user
  warnings.push({ field: 'user', message: `it is longer than ${MAX_USER_CHARACTERS} characters; it was left out` })
  return undefined
}

function withInstruction(request: CompletionRequest, text: string | undefined): CompletionRequest {
  return text === undefined ? request : { ...request, system: [...request.system, { type: 'text', text }] }
}

function renderParallelCalls(
  { parallelToolCalls }: CompletionRequest,
  traits: ModelTraits,
  warnings: TranslationWarning[],
): boolean | undefined {
  if (traits.parallelCalls) return parallelToolCalls
  if (parallelToolCalls === false) {
    warnings.push({ field: 'parallel_tool_calls', message: 'the model refuses it; it was left out' })
  }
  return undefined
}

function renderLimit(sampling: Sampling, target: RenderTarget, warnings: TranslationWarning[]): JsonObject {
  const limit = smallestLimit(target.maxOutputTokens ?? sampling.maxOutputTokens, 'chat-completions', warnings)
  return limit === undefined ? {} : { [target.outputLimitField ?? 'max_tokens']: limit }
}

function translateResponseFormat(
  format: ResponseFormat | undefined,
  model: string,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  if (format === undefined) return undefined
  const form = formFor(format, model)
  if (form?.type !== 'json-schema') return form && renderResponseFormat(form)
  const { strict, ...rest } = form
  const schema = withItems(form.schema)
  const taken = renderStrict(strict, schema, 'response_format', warnings)
  return renderResponseFormat(withoutUndefined({ ...rest, schema, strict: taken }))
}

/** Whether the vendor is asked to be strict about a schema. Adds to `warnings` where it is not, though the client asked. */
export function renderStrict(
  strict: boolean | undefined,
  schema: JsonValue | undefined,
  field: string,
  warnings: TranslationWarning[],
): boolean | undefined {
  if (strict !== true || canBeStrict(schema)) return strict
  warnings.push({ field, message: 'chat-completions is not strict about such a schema; strict was left out' })
  return undefined
}

/** The answer's form as the vendor writes it. */
export function renderResponseFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return { type: 'text' }
    case 'json':
      return { type: 'json_object' }
    case 'json-schema': {
      const { name, schema, strict } = format
      return { type: 'json_schema', json_schema: withoutUndefined({ name, schema, strict }) }
    }
  }
}

function renderTool(tool: ToolDefinition, index: number, warnings: TranslationWarning[]): JsonObject {
  if (tool.cacheControl !== undefined) {
    warnings.push({
      field: `tools[${index}].cache_control`,
      message: 'chat-completions caches on its own; the mark was left out',
    })
  }
  const { name, description } = tool
  const parameters = argumentsSchema(tool.parameters)
  const strict = renderStrict(tool.strict, parameters, `tools[${index}].strict`, warnings)
  return { type: 'function', function: withoutUndefined({ name, description, parameters, strict }) }
}

function renderToolChoice(choice: ToolChoice | undefined): string | JsonObject | undefined {
  return choice?.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice?.type
}
