/**
 * The libraries that applications use, each having the same conversation: a system prompt, a question with an image, a
 * call of a tool, its result, the answer. What they return is what an application has in hand.
 */
import Anthropic from '@anthropic-ai/sdk'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { GoogleGenAI, type Content, type GenerateContentResponse } from '@google/genai'
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, jsonSchema, streamText, type LanguageModel, type ModelMessage } from 'ai'
import OpenAI from 'openai'
import { asNumber, isJsonObject } from '../../src/domain/json.ts'

/** One answer, in words that are no library's. */
export interface Said {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly stop: string
  readonly input: number | undefined
  readonly output: number | undefined
}

export interface Conversation {
  readonly model: string
  readonly stream: boolean
  readonly question: string
}

export interface Client {
  readonly name: string
  /** Both turns: the call, and the answer after its result. */
  converse(conversation: Conversation): Promise<readonly [Said, Said]>
}

export const SYSTEM = 'You are a clerk.'
/** One pixel. */
export const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const RESULT = 'sunny, 21 degrees'
const DESCRIPTION = 'The weather of a city'
const SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false as const,
}

/** The clients, for a gateway at `url`. */
export function clientsOf(url: string, apiKey: string): readonly Client[] {
  const openai = `${url}/adapters/openai/v1`
  const anthropic = `${url}/adapters/anthropic`
  const gemini = `${url}/adapters/gemini`
  return [
    openaiClient(new OpenAI({ apiKey, baseURL: openai, maxRetries: 0 })),
    responsesClient(new OpenAI({ apiKey, baseURL: openai, maxRetries: 0 })),
    anthropicClient(new Anthropic({ apiKey, baseURL: anthropic, maxRetries: 0 })),
    genaiClient(new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gemini } })),
    langchainClient(apiKey, openai),
    aiClient('ai with @ai-sdk/openai', (model) => createOpenAI({ apiKey, baseURL: openai }).chat(model)),
    aiClient(
      'ai with @ai-sdk/openai, responses',
      (model) => createOpenAI({ apiKey, baseURL: openai }).responses(model),
      {
        // Otherwise it refers to what the vendor would have kept.
        openai: { store: false },
      },
    ),
    aiClient('ai with @ai-sdk/anthropic', createAnthropic({ apiKey, baseURL: `${anthropic}/v1` })),
    aiClient('ai with @ai-sdk/google', createGoogleGenerativeAI({ apiKey, baseURL: `${gemini}/v1beta` })),
  ]
}

function openaiClient(client: OpenAI): Client {
  const turn = async (model: string, stream: boolean, messages: OpenAI.ChatCompletionMessageParam[]) => {
    const tools = [
      { type: 'function' as const, function: { name: 'weather', description: DESCRIPTION, parameters: SCHEMA } },
    ]
    const fields = { model, messages, tools, max_completion_tokens: 500 }
    const answer = stream
      ? await client.chat.completions
          .stream({ ...fields, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(fields)
    const choice = answer.choices[0]
    const calls = (choice?.message.tool_calls ?? []).filter((call) => call.type === 'function')
    const said: Said = {
      text: choice?.message.content ?? '',
      calls: calls.map((call) => ({ name: call.function.name, input: JSON.parse(call.function.arguments) })),
      stop: choice?.finish_reason ?? '',
      input: answer.usage?.prompt_tokens,
      output: answer.usage?.completion_tokens,
    }
    return { said, message: choice?.message, ids: calls.map((call) => call.id) }
  }
  return {
    name: 'openai',
    async converse({ model, stream, question }) {
      const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${IMAGE}` } }
      const messages: OpenAI.ChatCompletionMessageParam[] = [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: [{ type: 'text', text: question }, image] },
      ]
      const first = await turn(model, stream, messages)
      if (first.message !== undefined) messages.push(first.message)
      for (const id of first.ids) messages.push({ role: 'tool', tool_call_id: id, content: RESULT })
      return [first.said, (await turn(model, stream, messages)).said]
    },
  }
}

function responsesClient(client: OpenAI): Client {
  const turn = async (model: string, stream: boolean, input: OpenAI.Responses.ResponseInput) => {
    const tools = [
      { type: 'function' as const, name: 'weather', description: DESCRIPTION, parameters: SCHEMA, strict: true },
    ]
    const fields = { model, input, instructions: SYSTEM, tools, max_output_tokens: 500 }
    const answer = stream
      ? await client.responses.stream(fields).finalResponse()
      : await client.responses.create(fields)
    const calls = answer.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
    const said: Said = {
      text: answer.output_text,
      calls: calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) })),
      stop: calls.length > 0 ? 'tool_calls' : 'stop',
      input: answer.usage?.input_tokens,
      output: answer.usage?.output_tokens,
    }
    return { said, output: answer.output, ids: calls.map((call) => call.call_id) }
  }
  return {
    name: 'openai, responses',
    async converse({ model, stream, question }) {
      const image_url = `data:image/png;base64,${IMAGE}`
      const input: OpenAI.Responses.ResponseInput = [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: question },
            { type: 'input_image', detail: 'auto', image_url },
          ],
        },
      ]
      const first = await turn(model, stream, input)
      for (const item of first.output) if (item.type === 'message' || item.type === 'function_call') input.push(item)
      for (const id of first.ids) input.push({ type: 'function_call_output', call_id: id, output: RESULT })
      return [first.said, (await turn(model, stream, input)).said]
    },
  }
}

function anthropicClient(client: Anthropic): Client {
  const turn = async (model: string, stream: boolean, messages: Anthropic.MessageParam[]) => {
    const tools = [{ name: 'weather', description: DESCRIPTION, input_schema: SCHEMA }]
    const fields = { model, messages, tools, system: SYSTEM, max_tokens: 500 }
    const answer = stream ? await client.messages.stream(fields).finalMessage() : await client.messages.create(fields)
    const calls = answer.content.filter((block) => block.type === 'tool_use')
    const said: Said = {
      text: answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: calls.map((call) => ({ name: call.name, input: call.input })),
      stop: answer.stop_reason ?? '',
      input: answer.usage.input_tokens,
      output: answer.usage.output_tokens,
    }
    return { said, content: answer.content, ids: calls.map((call) => call.id) }
  }
  return {
    name: '@anthropic-ai/sdk',
    async converse({ model, stream, question }) {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: IMAGE }
      const messages: Anthropic.MessageParam[] = [
        {
          role: 'user',
          content: [
            { type: 'text', text: question },
            { type: 'image', source },
          ],
        },
      ]
      const first = await turn(model, stream, messages)
      messages.push({ role: 'assistant', content: first.content })
      const results = first.ids.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: RESULT }))
      messages.push({ role: 'user', content: results })
      return [first.said, (await turn(model, stream, messages)).said]
    },
  }
}

function genaiClient(ai: GoogleGenAI): Client {
  const turn = async (model: string, stream: boolean, contents: Content[]) => {
    const tools = [
      { functionDeclarations: [{ name: 'weather', description: DESCRIPTION, parametersJsonSchema: SCHEMA }] },
    ]
    const fields = { model, contents, config: { tools, systemInstruction: SYSTEM, maxOutputTokens: 500 } }
    const answers: GenerateContentResponse[] = stream
      ? await Array.fromAsync(await ai.models.generateContentStream(fields))
      : [await ai.models.generateContent(fields)]
    const parts = answers.flatMap((answer) => answer.candidates?.[0]?.content?.parts ?? [])
    const calls = parts.flatMap((part) => part.functionCall ?? [])
    const usage = answers.at(-1)?.usageMetadata
    const said: Said = {
      text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
      calls: calls.map((call) => ({ name: call.name ?? '', input: call.args })),
      stop: answers.at(-1)?.candidates?.[0]?.finishReason ?? '',
      input: usage?.promptTokenCount,
      output: usage?.candidatesTokenCount,
    }
    return { said, parts, calls }
  }
  return {
    name: '@google/genai',
    async converse({ model, stream, question }) {
      const image = { inlineData: { mimeType: 'image/png', data: IMAGE } }
      const contents: Content[] = [{ role: 'user', parts: [{ text: question }, image] }]
      const first = await turn(model, stream, contents)
      contents.push({ role: 'model', parts: first.parts })
      const response = { output: RESULT }
      const results = first.calls.map(({ id, name }) => ({
        functionResponse: { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }), response },
      }))
      // Gemini takes no content without parts.
      contents.push({ role: 'user', parts: results.length > 0 ? results : [{ text: 'And?' }] })
      return [first.said, (await turn(model, stream, contents)).said]
    },
  }
}

function langchainClient(apiKey: string, baseURL: string): Client {
  const turn = async (model: string, stream: boolean, messages: BaseMessage[]) => {
    const chat = new ChatOpenAI({ model, apiKey, maxRetries: 0, maxTokens: 500, configuration: { baseURL } }).bindTools(
      [{ type: 'function', function: { name: 'weather', description: DESCRIPTION, parameters: SCHEMA } }],
    )
    const answer: AIMessageChunk = stream
      ? (await Array.fromAsync(await chat.stream(messages))).reduce((whole, chunk) => whole.concat(chunk))
      : await chat.invoke(messages)
    const [input, output] = tokensOf(answer.usage_metadata)
    const said: Said = {
      text: answer.text,
      calls: (answer.tool_calls ?? []).map(({ name, args }) => ({ name, input: args })),
      stop: String(answer.response_metadata['finish_reason'] ?? ''),
      input,
      output,
    }
    return { said, answer }
  }
  return {
    name: '@langchain/openai',
    async converse({ model, stream, question }) {
      const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } }
      const messages: BaseMessage[] = [
        new SystemMessage(SYSTEM),
        new HumanMessage({ content: [{ type: 'text', text: question }, image] }),
      ]
      const { said, answer } = await turn(model, stream, messages)
      const calls = answer.tool_calls ?? []
      messages.push(new AIMessage({ content: answer.text, tool_calls: calls }))
      for (const call of calls) messages.push(new ToolMessage({ content: RESULT, tool_call_id: call.id ?? '' }))
      return [said, (await turn(model, stream, messages)).said]
    },
  }
}

/** LangChain's types lose the usage of a message that is of no known structure. */
function tokensOf(usage: unknown): (number | undefined)[] {
  if (!isJsonObject(usage)) return []
  return [asNumber(usage['input_tokens']), asNumber(usage['output_tokens'])]
}

function aiClient(
  name: string,
  modelOf: (model: string) => LanguageModel,
  providerOptions: Record<string, Record<string, boolean>> = {},
): Client {
  const turn = async (model: string, stream: boolean, messages: ModelMessage[]) => {
    const weather = { description: DESCRIPTION, inputSchema: jsonSchema<{ city: string }>(SCHEMA) }
    const fields = {
      model: modelOf(model),
      system: SYSTEM,
      messages,
      tools: { weather },
      maxRetries: 0,
      providerOptions,
    }
    const answer = stream ? streamText(fields) : await generateText(fields)
    const usage = await answer.usage
    const calls = await answer.toolCalls
    const said: Said = {
      text: await answer.text,
      calls: calls.map((call) => ({ name: call.toolName, input: call.input })),
      stop: await answer.finishReason,
      input: usage.inputTokens,
      output: usage.outputTokens,
    }
    return { said, calls, messages: (await answer.response).messages }
  }
  return {
    name,
    async converse({ model, stream, question }) {
      const messages: ModelMessage[] = [
        {
          role: 'user',
          content: [
            { type: 'text', text: question },
            { type: 'image', image: IMAGE, mediaType: 'image/png' },
          ],
        },
      ]
      const first = await turn(model, stream, messages)
      const results = first.calls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName,
        output: { type: 'text' as const, value: RESULT },
      }))
      messages.push(...first.messages, { role: 'tool', content: results })
      return [first.said, (await turn(model, stream, messages)).said]
    },
  }
}
