/**
 * Builds the body of a chat completions request.
 *
 * A conversation keeps what a model wrote, and models write what servers refuse: then every later request of the
 * conversation would fail. So on the wire, and only there:
 *
 * - the conversation is repaired (SPEC 9.4); what that changed is returned, to be reported;
 * - arguments that are no JSON object are wrapped into one (vLLM, llama.cpp and Ollama parse the whole history);
 * - names that a model invented get the letters that OpenAI allows (`^[a-zA-Z0-9_-]{1,64}$`);
 * - ids of more than 40 characters, which other providers make, are replaced in call and result.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import * as Tool from "effect/ai/Tool"
import * as Transcript from "#domain/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"

/** Fields of the request as the API names them, e.g. `temperature`, `max_completion_tokens`, `reasoning_effort`. */
export interface Settings {
  /** The model's name, instead of the layer's. */
  readonly model?: string
  readonly temperature?: number
  readonly top_p?: number
  readonly max_completion_tokens?: number
  /** The older name of `max_completion_tokens`, which most servers other than OpenAI's know. */
  readonly max_tokens?: number
  readonly parallel_tool_calls?: boolean
  readonly reasoning_effort?: string
  readonly seed?: number
  readonly stop?: string | ReadonlyArray<string>
  readonly [field: string]: unknown
}

const longestName = 64
const longestId = 40

const nameOnWire = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, longestName) || "_"

/** Shortens ids that are too long, the same id always to the same one. */
const shortenIds = (prompt: Prompt.Prompt): ((id: string) => string) => {
  const taken = new Set(Transcript.callIds(prompt))
  const short = new Map<string, string>()
  for (const id of Transcript.callIds(prompt)) {
    if (id.length <= longestId) continue
    const next = Transcript.nextId(taken)
    taken.add(next)
    short.set(id, next)
  }
  return (id) => short.get(id) ?? id
}

/** A conversation as messages that every server takes, and what was repaired in it. */
export const messages = (
  damaged: Prompt.Prompt
): { readonly messages: ReadonlyArray<Transcript.ChatMessage>; readonly changes: ReadonlyArray<Transcript.Change> } => {
  const { changes, prompt } = Transcript.repair(damaged)
  const idOnWire = shortenIds(prompt)
  const written = Transcript.toOpenAi(prompt).map((message): Transcript.ChatMessage => {
    if (message.role === "tool") return Object.assign({}, message, { tool_call_id: idOnWire(message.tool_call_id) })
    if (message.role !== "assistant" || message.tool_calls === undefined) return message
    const calls = message.tool_calls.map(({ function: { arguments: text, name }, id }) => ({
      id: idOnWire(id),
      type: "function" as const,
      function: { name: nameOnWire(name), arguments: CallArguments.writeObject(CallArguments.read(text)) }
    }))
    return Object.assign({}, message, { tool_calls: calls })
  })
  return { messages: written, changes }
}

const tool = (definition: Tool.Any) => {
  const description = Tool.getDescription(definition)
  const strict = Tool.getStrictMode(definition)
  return {
    type: "function",
    function: {
      name: definition.name,
      ...(description === undefined ? {} : { description }),
      parameters: Tool.getJsonSchema(definition),
      ...(strict === undefined ? {} : { strict })
    }
  }
}

const toolChoice = (choice: LanguageModel.ToolChoice<string>): unknown => {
  if (typeof choice === "string") return choice
  return "tool" in choice ? { type: "function", function: { name: choice.tool } } : (choice.mode ?? "auto")
}

const responseFormat = (format: LanguageModel.ProviderOptions["responseFormat"]): object =>
  format.type === "text"
    ? {}
    : {
        response_format: {
          type: "json_schema",
          json_schema: {
            name: nameOnWire(format.objectName),
            strict: true,
            schema: toCodecOpenAI(format.schema).jsonSchema
          }
        }
      }

/** The body of a request. Throws for a structured output whose schema the API cannot express. */
export const body = (
  options: LanguageModel.ProviderOptions,
  conversation: ReadonlyArray<Transcript.ChatMessage>,
  settings: Settings & { readonly model: string }
): { readonly [field: string]: unknown } => {
  const { parallel_tool_calls, ...rest } = settings
  const tools = options.tools.filter((definition) => !Tool.isProviderDefined(definition)).map(tool)
  return {
    ...rest,
    messages: conversation,
    ...(tools.length === 0 ? {} : { tools, tool_choice: toolChoice(options.toolChoice) }),
    ...(tools.length === 0 || parallel_tool_calls === undefined ? {} : { parallel_tool_calls }),
    ...responseFormat(options.responseFormat)
  }
}
