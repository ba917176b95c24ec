/**
 * Writes the body of a request to Anthropic's messages API.
 *
 * The conversation is repaired only in the request (`Transcript.repairForAnthropic`); the changes are returned.
 */
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Transcript from "#domain/transcript/Transcript"
import * as Caching from "./Caching.ts"

/** Fields of the request, named as in the API, e.g. `temperature`, `max_tokens`, `thinking`. */
export interface Settings {
  /** The name of the model. Default: the model of the layer. */
  readonly model?: string
  /** The maximum number of tokens in an answer, including its thinking. Default 16,000 plus the thinking budget. */
  readonly max_tokens?: number
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly stop_sequences?: ReadonlyArray<string>
  /** Thinking: `enabled` with `budget_tokens`, `adaptive`, `disabled`, or another value that a newer model accepts. */
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number; readonly [field: string]: unknown }
  /** Sent within `tool_choice` if the request has tools. */
  readonly disable_parallel_tool_use?: boolean
  /** Tools in the API's format, such as tools that the provider runs. They are sent after the tools of the request. */
  readonly tools?: ReadonlyArray<object>
  readonly [field: string]: unknown
}

/**
 * How structured output is requested: by the format of the answer, or by forcing a call of a tool that has the schema.
 */
export type StructuredOutput = "format" | "tool"

/** The options of a request besides the conversation. */
interface Options {
  readonly settings: Settings & { readonly model: string }
  readonly structuredOutput: StructuredOutput
  /** The cache mark for the conversation, the system text and the tools; undefined for no marks. */
  readonly cache: Transcript.AnthropicCacheControl | undefined
}

/** Converts a conversation to the API's format, and returns its repairs. */
export const history = (
  damaged: Prompt.Prompt
): { readonly history: Transcript.AnthropicHistory; readonly changes: ReadonlyArray<Transcript.Change> } => {
  const { changes, prompt } = Transcript.repairForAnthropic(damaged)
  return { history: Transcript.toAnthropic(prompt), changes }
}

const tool = (definition: Tool.Any) => {
  const description = Tool.getDescription(definition)
  const strict = Tool.getStrictMode(definition)
  return {
    name: definition.name,
    ...(description === undefined ? {} : { description }),
    input_schema: { type: "object", ...Tool.getJsonSchema(definition) },
    ...(strict === undefined ? {} : { strict })
  }
}

/** Creates the tool whose arguments are the structured output. */
const outputTool = (format: Extract<LanguageModel.ProviderOptions["responseFormat"], { readonly type: "json" }>) => ({
  name: outputName(format.objectName),
  description: "Answers with an object. Call it once, with the complete answer.",
  input_schema: toCodecAnthropic(format.schema).jsonSchema
})

/** Returns the name of the tool for structured output, with only the characters that the API allows. */
export const outputName = (objectName: string): string =>
  objectName.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) || "answer"

const toolChoice = (choice: LanguageModel.ToolChoice<string>): { readonly type: string; readonly name?: string } => {
  const mode = typeof choice === "string" ? choice : "tool" in choice ? undefined : (choice.mode ?? "auto")
  if (typeof choice === "object" && "tool" in choice) return { type: "tool", name: choice.tool }
  return { type: mode === "required" ? "any" : (mode ?? "auto") }
}

const defaultTokens = 16_000

const maxTokensOf = ({ max_tokens, thinking }: Settings): number =>
  max_tokens ?? defaultTokens + (thinking?.budget_tokens ?? 0)

/** Returns the body of a request. Throws if the API cannot express the schema of a structured answer. */
export const body = (
  request: LanguageModel.ProviderOptions,
  conversation: Transcript.AnthropicHistory,
  { cache, settings, structuredOutput }: Options
): { readonly [field: string]: unknown } => {
  const { disable_parallel_tool_use, output_config, tools: further = [], ...rest } = settings
  const format = request.responseFormat
  const forced = format.type === "json" && structuredOutput === "tool" ? [outputTool(format)] : []
  const usable = request.tools.filter((definition) => !Tool.isProviderDefined(definition)).map(tool)
  const all = [...usable, ...forced, ...further]
  const { history: marked, tools } =
    cache === undefined ? { history: conversation, tools: all } : Caching.mark(conversation, all, cache)
  const choice = forced[0] === undefined ? toolChoice(request.toolChoice) : { type: "tool", name: forced[0].name }
  const output = {
    ...(typeof output_config === "object" ? output_config : {}),
    ...(format.type === "json" && structuredOutput === "format"
      ? { format: { type: "json_schema", schema: toCodecAnthropic(format.schema).jsonSchema } }
      : {})
  }
  return {
    ...rest,
    max_tokens: maxTokensOf(settings),
    ...marked,
    ...(tools.length === 0
      ? {}
      : {
          tools,
          tool_choice:
            disable_parallel_tool_use === undefined || choice.type === "none"
              ? choice
              : { ...choice, disable_parallel_tool_use }
        }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output })
  }
}
