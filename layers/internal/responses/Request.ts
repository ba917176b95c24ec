/** Writes the body of a request to OpenAI's Responses API. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import * as Tool from "effect/ai/Tool"
import type * as Transcript from "#domain/transcript/Transcript"
import { nameOnWire } from "#layers/internal/openai/Messages"

/** Fields of the request, named as in the API, e.g. `temperature`, `max_output_tokens`, `reasoning`. */
export interface Settings {
  /** The name of the model. Default: the model of the layer. */
  readonly model?: string
  /** The maximum number of tokens of an answer, including its reasoning. Default: the server decides. */
  readonly max_output_tokens?: number
  readonly temperature?: number
  readonly top_p?: number
  /** How much the model thinks, and whether the answer has a summary of it: `{ effort: "low", summary: "auto" }`. */
  readonly reasoning?: { readonly effort?: string; readonly summary?: string; readonly [field: string]: unknown }
  /** Sent if the request has tools. */
  readonly parallel_tool_calls?: boolean
  /** Whether the server stores the answer. Default false, or true with `previousResponse`. */
  readonly store?: boolean
  /** Default `["reasoning.encrypted_content"]`, without which reasoning cannot be sent back. */
  readonly include?: ReadonlyArray<string>
  /** Other fields of the text: `{ verbosity: "low" }`. The format follows from the request. */
  readonly text?: { readonly [field: string]: unknown }
  /** Tools in the API's format, such as tools that the provider runs. They are sent after the tools of the request. */
  readonly tools?: ReadonlyArray<object>
  readonly [field: string]: unknown
}

/** The conversation of a request: all items, or the new items after a stored answer. */
export interface Input {
  readonly items: ReadonlyArray<Transcript.ResponsesItem>
  readonly previousResponseId?: string
  /** Whether `include` can be sent. */
  readonly canInclude: boolean
}

const tool = (definition: Tool.Any) => {
  const description = Tool.getDescription(definition)
  return {
    type: "function",
    name: definition.name,
    ...(description === undefined ? {} : { description }),
    parameters: Tool.getJsonSchema(definition),
    // unlike the chat completions API, this API is strict if the field is missing
    strict: Tool.getStrictMode(definition) ?? false
  }
}

const toolChoice = (choice: LanguageModel.ToolChoice<string>): unknown => {
  if (typeof choice === "string") return choice
  return "tool" in choice ? { type: "function", name: choice.tool } : (choice.mode ?? "auto")
}

const formatOf = (format: LanguageModel.ProviderOptions["responseFormat"]): object =>
  format.type === "text"
    ? {}
    : {
        format: {
          type: "json_schema",
          name: nameOnWire(format.objectName),
          strict: true,
          schema: toCodecOpenAI(format.schema).jsonSchema
        }
      }

const encrypted = ["reasoning.encrypted_content"]

/** Returns the body of a request. Throws if the API cannot express the schema of a structured answer. */
export const body = (
  request: LanguageModel.ProviderOptions,
  { canInclude, items, previousResponseId }: Input,
  settings: Settings & { readonly model: string }
): { readonly [field: string]: unknown } => {
  const { include = encrypted, parallel_tool_calls, text: further, tools: others = [], ...rest } = settings
  const usable = request.tools.filter((definition) => !Tool.isProviderDefined(definition)).map(tool)
  const tools = [...usable, ...others]
  const text = { ...further, ...formatOf(request.responseFormat) }
  return {
    ...rest,
    ...(canInclude && include.length > 0 ? { include } : {}),
    ...(previousResponseId === undefined ? {} : { previous_response_id: previousResponseId }),
    input: items,
    ...(tools.length === 0
      ? {}
      : {
          tools,
          tool_choice: toolChoice(request.toolChoice),
          ...(parallel_tool_calls === undefined ? {} : { parallel_tool_calls })
        }),
    ...(Object.keys(text).length === 0 ? {} : { text })
  }
}
