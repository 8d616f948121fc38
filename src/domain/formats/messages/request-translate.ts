/** A request that came in another format -> messages document, with a warning for all that is lost. */
import type {
  CompletionRequest,
  ResponseFormat,
  Sampling,
  TextPart,
  ToolChoice,
  ToolDefinition,
  TranslationWarning,
} from '../../completion/request.ts'
import { asObject, type JsonObject, type JsonValue } from '../../json.ts'
import { withoutUndefined } from '../fields.ts'
import { offeredTools } from '../offered-tools.ts'
import { schemaInstruction } from '../schema-instruction.ts'
import type { Rendered, RenderTarget } from '../format.ts'
import { translateMessages } from './message-translate.ts'
import { isClaude, traitsOf, type ModelTraits } from './model-traits.ts'
import { closeObjects } from './output-schema.ts'
import { translateReasoning } from './reasoning-translate.ts'
import { translateSampling } from './sampling-translate.ts'
import { supportedSchema } from './supported-schema.ts'

/** The limit where neither the client nor the model's entry has one: every model of the vendor takes it. */
export const DEFAULT_MAX_TOKENS = 4096

/** The request in this format. */
export function translateRequest(request: CompletionRequest, target: RenderTarget): Rendered<JsonObject> {
  const warnings: TranslationWarning[] = []
  const traits = traitsOf(target.model)
  const limit = limitOf(request.sampling, target)
  const thinking = translateReasoning(request, traits, limit, warnings)
  const { system, messages } = translateMessages(withInstruction(request, traits), traits, warnings)
  const { tools, toolChoice } = renderTools(request, target.model, traits, warnings)
  const outputConfig = withoutUndefined({
    effort: thinking.effort,
    format: request.responseFormat && renderFormat(request.responseFormat, target.model, traits, warnings),
  })
  const document = withoutUndefined({
    model: target.model,
    max_tokens: limit ?? DEFAULT_MAX_TOKENS + thinking.budgetTokens,
    system: renderSystem(system),
    messages,
    stream: target.stream ? true : undefined,
    ...translateSampling(request.sampling, { traits, thinks: thinking.thinking?.type === 'enabled' }, warnings),
    thinking: thinking.thinking,
    output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
    tools,
    tool_choice: toolChoice,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
  })
  return { document, warnings }
}

/** A schema that the model cannot be held to is told in words. */
function withInstruction(request: CompletionRequest, { schemas }: ModelTraits): CompletionRequest {
  const format = request.responseFormat
  if (schemas || format?.type !== 'json-schema') return request
  const text = schemaInstruction(format.schema)
  return { ...request, system: [...request.system, { type: 'text', text }] }
}

function limitOf(sampling: Sampling, target: RenderTarget): number | undefined {
  return target.maxOutputTokens ?? sampling.maxOutputTokens ?? target.defaultMaxOutputTokens
}

/** A string where it says the same: fewer servers of this format know blocks. */
function renderSystem(system: readonly TextPart[]): string | JsonObject[] | undefined {
  const [first] = system
  if (first === undefined) return undefined
  if (system.length === 1 && first.cacheControl === undefined) return first.text
  return system.map(({ text, cacheControl }) => withoutUndefined({ type: 'text', text, cache_control: cacheControl }))
}

function renderFormat(
  format: ResponseFormat,
  model: string,
  { schemas }: ModelTraits,
  warnings: TranslationWarning[],
): JsonObject | undefined {
  const lose = (message: string): undefined => void warnings.push({ field: 'response_format', message })
  switch (format.type) {
    case 'text':
      return undefined
    case 'json':
      return lose('messages has no JSON mode without a schema; it was left out')
    case 'json-schema': {
      if (!schemas) return lose('the model takes no schema; it was sent as an instruction')
      // Other vendors' servers of this format have limits of their own.
      if (!isClaude(model)) return { type: 'json_schema', schema: closeObjects(format.schema) }
      const { schema, isWhole } = supportedSchema(format.schema)
      if (!isWhole) lose('messages does not hold answers to all of the schema; the rest is in its descriptions')
      return { type: 'json_schema', schema }
    }
  }
}

interface RenderedTools {
  readonly tools?: JsonObject[]
  readonly toolChoice?: JsonObject | undefined
}

function renderTools(
  request: CompletionRequest,
  model: string,
  traits: ModelTraits,
  warnings: TranslationWarning[],
): RenderedTools {
  const unforced = traits.forcedTools ? request : withoutForce(request, warnings)
  const tools = offeredTools(unforced).map((tool, index) => renderTool(tool, index, model, traits, warnings))
  if (tools.length > 0) return { tools, toolChoice: renderToolChoice(unforced) }
  const called = isClaude(model) ? calledTools(request) : []
  if (called.length === 0) return {}
  warnings.push({
    field: 'tools',
    message: 'tools called earlier were declared, as messages demands; none can be called',
  })
  return { tools: called, toolChoice: { type: 'none' } }
}

/** The newest models cannot be made to call: a tool that is chosen is the only one that they are shown. */
function withoutForce(request: CompletionRequest, warnings: TranslationWarning[]): CompletionRequest {
  const choice = request.toolChoice
  if (choice?.type !== 'required' && choice?.type !== 'tool') return request
  warnings.push({ field: 'tool_choice', message: 'the model cannot be made to call a tool; it may' })
  const among = choice.type === 'tool' ? { among: [choice.name] } : 'among' in choice ? { among: choice.among } : {}
  return { ...request, toolChoice: { type: 'auto', ...among } }
}

/**
 * Of a conversation with calls the vendor demands tools, where others take it without: "Requests which include `tool_use` or
 * `tool_result` blocks must define tools".
 */
function calledTools({ messages }: CompletionRequest): JsonObject[] {
  const names = new Set<string>()
  for (const { role, content } of messages) {
    if (role === 'assistant') for (const part of content) if (part.type === 'tool-call') names.add(part.name)
  }
  return Array.from(names, (name) => ({ name, input_schema: inputSchema(undefined) }))
}

function renderTool(
  tool: ToolDefinition,
  index: number,
  model: string,
  { schemas }: ModelTraits,
  warnings: TranslationWarning[],
): JsonObject {
  const { name, description, cacheControl } = tool
  const schema = inputSchema(tool.parameters)
  const strictSchema = tool.strict === true && schemas ? schemaToBeStrictAbout(schema, model) : undefined
  if (tool.strict === true && strictSchema === undefined) {
    const message = 'messages is not strict about such a schema; it was left out'
    warnings.push({ field: `tools[${index}].strict`, message })
  }
  return withoutUndefined({
    name,
    description,
    input_schema: strictSchema ?? schema,
    strict: strictSchema && true,
    cache_control: cacheControl,
  })
}

/** Undefined where the vendor would refuse it, or forget some of it. */
function schemaToBeStrictAbout(schema: JsonObject, model: string): JsonValue | undefined {
  if (!isClaude(model)) return schema
  const supported = supportedSchema(schema)
  return supported.isWhole ? supported.schema : undefined
}

/** The vendor demands an object's schema, of tools without arguments too. */
function inputSchema(parameters: JsonValue | undefined): JsonObject {
  const schema = asObject(parameters)
  if (schema === undefined || Object.keys(schema).length === 0) return { type: 'object', properties: {} }
  return schema.type === undefined ? { type: 'object', ...schema } : schema
}

function renderToolChoice({ toolChoice, parallelToolCalls }: CompletionRequest): JsonObject | undefined {
  const choice = choiceOf(toolChoice)
  if (parallelToolCalls !== false || toolChoice?.type === 'none') return choice
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
}

function choiceOf(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined) return undefined
  switch (choice.type) {
    case 'required':
      return { type: 'any' }
    case 'tool':
      return { type: 'tool', name: choice.name }
    default:
      return { type: choice.type }
  }
}
