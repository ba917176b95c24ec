/** Writes the body of a chat completions request, adapted to the server by its profile. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import * as Tool from "effect/ai/Tool"
import { nameOnWire, type WireMessage } from "./Messages.ts"
import type { Profile } from "./Profile.ts"

/** Fields of the request, named as in the API, e.g. `temperature`, `max_completion_tokens`, `reasoning_effort`. */
export interface Settings {
  /** The name of the model. Default: the model of the layer. */
  readonly model?: string
  readonly temperature?: number
  readonly top_p?: number
  readonly max_completion_tokens?: number
  /** The older name of `max_completion_tokens`, which most servers other than OpenAI's use. */
  readonly max_tokens?: number
  readonly parallel_tool_calls?: boolean
  readonly reasoning_effort?: string
  readonly seed?: number
  readonly stop?: string | ReadonlyArray<string>
  readonly [field: string]: unknown
}

const tool =
  ({ strictTools }: Profile) =>
  (definition: Tool.Any) => {
    const description = Tool.getDescription(definition)
    const strict = Tool.getStrictMode(definition)
    return {
      type: "function",
      function: {
        name: definition.name,
        ...(description === undefined ? {} : { description }),
        parameters: Tool.getJsonSchema(definition),
        ...(strict === undefined || !strictTools ? {} : { strict })
      }
    }
  }

interface ToolFields {
  readonly tools?: ReadonlyArray<unknown>
  readonly tool_choice?: unknown
  readonly parallel_tool_calls?: boolean
}

/**
 * Returns the tools and the choice among them. If the server does not support a choice, the tools are narrowed instead:
 * no tools for `none`, and only the named tool for a named choice. An unsupported `required` is not enforced: the model
 * may answer without a call.
 */
const tooling = (
  { toolChoice, tools }: Pick<LanguageModel.ProviderOptions, "toolChoice" | "tools">,
  parallel: boolean | undefined,
  profile: Profile
): ToolFields => {
  const usable = tools.filter((definition) => !Tool.isProviderDefined(definition))
  const named = typeof toolChoice === "object" && "tool" in toolChoice ? toolChoice.tool : undefined
  const mode = typeof toolChoice === "string" ? toolChoice : "mode" in toolChoice ? (toolChoice.mode ?? "auto") : "auto"
  const supports = (choice: Profile["toolChoice"][number]) => profile.toolChoice.includes(choice)
  const isNamed = named !== undefined && supports("named")
  const offered = named === undefined || isNamed ? usable : usable.filter(({ name }) => name === named)
  if (offered.length === 0 || (mode === "none" && !supports("none"))) return {}
  const choice = isNamed
    ? { type: "function", function: { name: named } }
    : [named === undefined ? mode : "required", "auto" as const].find(supports)
  return {
    tools: offered.map(tool(profile)),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(parallel === undefined || !profile.parallelToolCalls ? {} : { parallel_tool_calls: parallel })
  }
}

type Format = LanguageModel.ProviderOptions["responseFormat"]

const schemaOf = (format: Extract<Format, { readonly type: "json" }>) => toCodecOpenAI(format.schema).jsonSchema

const responseFormat = (format: Format, { structured }: Profile): object => {
  if (format.type === "text" || structured === "prompt") return {}
  if (structured === "json_object") return { response_format: { type: "json_object" } }
  const json_schema = { name: nameOnWire(format.objectName), strict: true, schema: schemaOf(format) }
  return { response_format: { type: "json_schema", json_schema } }
}

/** Adds the schema of a structured answer to the system message, if the server does not accept a schema. */
const instructed = (
  conversation: ReadonlyArray<WireMessage>,
  format: Format,
  { structured, systemRole }: Profile
): ReadonlyArray<WireMessage> => {
  if (format.type === "text" || structured === "json_schema") return conversation
  const rule = `Answer with one JSON object and nothing else. It matches this JSON Schema: ${JSON.stringify(schemaOf(format))}`
  const [first, ...rest] = conversation
  return first?.role === systemRole
    ? [{ role: systemRole, content: `${String(first.content)}\n\n${rule}` }, ...rest]
    : [{ role: systemRole, content: rule }, ...conversation]
}

/** Returns the output limit in the field that the server reads. */
const limit = (
  {
    max_completion_tokens,
    max_tokens
  }: { readonly [name in "max_completion_tokens" | "max_tokens"]: number | undefined },
  { maxTokens }: Profile
): object => {
  const most = max_completion_tokens ?? max_tokens
  if (maxTokens !== "given") return most === undefined ? {} : { [maxTokens]: most }
  return {
    ...(max_completion_tokens === undefined ? {} : { max_completion_tokens }),
    ...(max_tokens === undefined ? {} : { max_tokens })
  }
}

/** Returns the body of a request. Throws if the API cannot express the schema of a structured answer. */
export const body = (
  options: LanguageModel.ProviderOptions,
  conversation: ReadonlyArray<WireMessage>,
  { max_completion_tokens, max_tokens, parallel_tool_calls, ...rest }: Settings & { readonly model: string },
  profile: Profile
): { readonly [field: string]: unknown } => ({
  ...rest,
  ...limit({ max_completion_tokens, max_tokens }, profile),
  messages: instructed(conversation, options.responseFormat, profile),
  ...tooling(options, parallel_tool_calls, profile),
  ...responseFormat(options.responseFormat, profile)
})
