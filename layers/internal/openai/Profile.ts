/**
 * The differences between servers of the chat completions API, as data: one record per server, one field per
 * difference.
 *
 * **When to use**
 *
 * `OpenAiCompatible.layer({ profile: Profile.ollama, … })`. For another server, start from the most similar profile:
 * `{ ...Profile.compatible, maxTokens: "max_tokens" }`. Hosted servers are recognised by their address (`ofAddress`).
 *
 * **Details**
 *
 * Only requests differ. The answers of all servers are read in the same way, because servers change: reasoning under
 * either name, arguments as an object, calls with `finish_reason: "stop"`, deltas without an index, token counts in any
 * place.
 *
 * The sources are the servers' documentation and source code as of November 2026; other reports are named.
 */

/** The differences in requests to a server. */
export interface Profile {
  /** The name of the profile, for logs and settings. */
  readonly name: string
  /**
   * The values of `tool_choice` that the server honours; a named tool counts as `named`. Without `named`, a request
   * that names a tool has only that tool; without `none`, a request with `none` has no tools; without `auto`, the field
   * is left out, because `auto` is the default.
   */
  readonly toolChoice: ReadonlyArray<"auto" | "none" | "required" | "named">
  /** Whether the server supports `parallel_tool_calls`. If not, the setting is left out. */
  readonly parallelToolCalls: boolean
  /** The field for the output limit. `given`: the field that the settings use. */
  readonly maxTokens: "max_tokens" | "max_completion_tokens" | "given"
  /** Whether streamed requests can ask for token counts (`stream_options.include_usage`). */
  readonly streamUsage: boolean
  /**
   * How a structured answer is requested: by its schema, as a JSON object whose schema is in the system message,
   * or only by the system message.
   */
  readonly structured: "json_schema" | "json_object" | "prompt"
  /** Whether `strict` of a tool is sent. */
  readonly strictTools: boolean
  /** The role of system messages. */
  readonly systemRole: "system" | "developer"
  /** The content of an assistant message that has only calls. */
  readonly emptyContent: "null" | "empty string"
  /**
   * Whether the model's earlier reasoning is sent back, and in which field. `with calls`: in every message that has
   * calls, as an empty text if there was no reasoning, and in no other message.
   */
  readonly reasoning:
    | { readonly send: "never" }
    | { readonly send: "with calls" | "always"; readonly field: "reasoning_content" | "reasoning" }
  /** The fields that turn the model's thinking on and off; absent if the server has none. */
  readonly thinking?: { readonly on: Fields; readonly off: Fields }
}

interface Fields {
  readonly [field: string]: unknown
}

const all = ["auto", "none", "required", "named"] as const

/** OpenAI's API. */
export const openai: Profile = {
  name: "openai",
  toolChoice: all,
  parallelToolCalls: true,
  // "max_tokens: deprecated in favor of max_completion_tokens, and not compatible with o-series models" (API reference)
  maxTokens: "max_completion_tokens",
  streamUsage: true,
  structured: "json_schema",
  strictTools: true,
  // `developer` replaces it for reasoning models, which still accept `system` (API reference, "messages")
  systemRole: "system",
  // "content: required unless tool_calls is specified" (API reference)
  emptyContent: "null",
  // unknown fields of a message are refused: "Additional properties are not allowed"
  reasoning: { send: "never" }
}

/** An unknown server of the API: no field is renamed or added. */
export const compatible: Profile = {
  ...openai,
  name: "compatible",
  maxTokens: "given"
}

/** Qwen on Alibaba Cloud Model Studio (`dashscope…aliyuncs.com/compatible-mode/v1`). */
export const qwen: Profile = {
  name: "qwen",
  // "tool_choice: auto, none, or one function"; a function cannot be forced while the model thinks, as the newer models do
  // by default (Model Studio, "Function calling"). Clients report that `required` is refused.
  toolChoice: ["auto", "none"],
  // "parallel_tool_calls: default false" (Model Studio, API reference)
  parallelToolCalls: true,
  maxTokens: "max_tokens",
  // "stream_options: {include_usage: true}" (Model Studio, "Deep thinking")
  streamUsage: true,
  // json_schema with some models; json_object with all, if the prompt contains "JSON" (Model Studio)
  structured: "json_object",
  strictTools: false,
  systemRole: "system",
  // the examples of Model Studio have "" together with tool_calls
  emptyContent: "empty string",
  // earlier reasoning is not read, unless `preserve_thinking` asks for it (Model Studio, "Deep thinking")
  reasoning: { send: "never" },
  // "enable_thinking: not a standard OpenAI parameter" (Model Studio, "Deep thinking")
  thinking: { on: { enable_thinking: true }, off: { enable_thinking: false } }
}

/** A server that runs vLLM, with `--enable-auto-tool-choice`, `--tool-call-parser` and `--reasoning-parser`. */
export const vllm: Profile = {
  name: "vllm",
  // "named function calling, as well as the auto, required (as of vllm>=0.8.3), and none options" (docs/features/tool_calling)
  toolChoice: all,
  // protocol.py: `parallel_tool_calls: bool | None = True`
  parallelToolCalls: true,
  // protocol.py: "max_tokens is deprecated in favor of the max_completion_tokens field"
  maxTokens: "max_completion_tokens",
  streamUsage: true,
  structured: "json_schema",
  strictTools: false,
  systemRole: "system",
  emptyContent: "null",
  // "`reasoning` used to be called `reasoning_content`" (docs/features/reasoning_outputs); chat templates read the reasoning of messages with calls
  reasoning: { send: "with calls", field: "reasoning" },
  // "chat_template_kwargs: {enable_thinking: false}" for Qwen3 (docs/features/reasoning_outputs); other models use other names
  thinking: {
    on: { chat_template_kwargs: { enable_thinking: true } },
    off: { chat_template_kwargs: { enable_thinking: false } }
  }
}

/** A server that runs Ollama. */
export const ollama: Profile = {
  name: "ollama",
  // openai.go has no `tool_choice`; newer servers accept the field, but do not enforce it, according to a report on 0.32
  toolChoice: [],
  // no such field (docs/api/openai-compatibility, openai.go)
  parallelToolCalls: false,
  // only `max_tokens` is read (openai.go, ChatCompletionRequest)
  maxTokens: "max_tokens",
  streamUsage: true,
  // openai.go: ResponseFormat has `json_schema`
  structured: "json_schema",
  strictTools: false,
  systemRole: "system",
  // openai.go: "content is only optional if tool calls are present"
  emptyContent: "empty string",
  // openai.go: Message has `reasoning`, which the model reads as its thinking
  reasoning: { send: "with calls", field: "reasoning" },
  // "reasoning_effort" (docs/api/openai-compatibility); `none` turns it off
  thinking: { on: { reasoning_effort: "medium" }, off: { reasoning_effort: "none" } }
}

/** DeepSeek's API. Its models think by default. */
export const deepseek: Profile = {
  name: "deepseek",
  // a model that thinks answers 400 "deepseek-reasoner does not support this tool_choice" (many reports of 2025 and
  // 2026)
  toolChoice: [],
  // no such field in the API reference
  parallelToolCalls: false,
  maxTokens: "max_tokens",
  streamUsage: true,
  // "response_format: text or json_object", and the prompt must say "json" (guide "JSON Output")
  structured: "json_object",
  // `strict` only at the address /beta (guide "Tool Calls")
  strictTools: false,
  systemRole: "system",
  emptyContent: "empty string",
  // the reasoning of a message with calls "must be passed back to the API", otherwise the API answers 400; without
  // calls it is ignored (guide "Thinking Mode"). Calls of another provider have no reasoning: an empty text is
  // accepted.
  reasoning: { send: "with calls", field: "reasoning_content" },
  // `{"thinking": {"type": "enabled/disabled"}}` (guide "Thinking Mode")
  thinking: { on: { thinking: { type: "enabled" } }, off: { thinking: { type: "disabled" } } }
}

/** All profiles by name. */
export const profiles = { openai, compatible, qwen, vllm, ollama, deepseek } as const

/** The name of a built-in profile. */
export type ProfileName = keyof typeof profiles

export const names: ReadonlyArray<ProfileName> = ["openai", "compatible", "qwen", "vllm", "ollama", "deepseek"]

const hosts: ReadonlyArray<readonly [host: RegExp, profile: Profile]> = [
  [/(?:^|\.)api\.openai\.com$/u, openai],
  [/(?:^|\.)openai\.azure\.com$/u, openai],
  [/(?:^|\.)deepseek\.com$/u, deepseek],
  [/(?:^|\.)aliyuncs\.com$/u, qwen]
]

/** Returns the profile of a hosted server by its address; `compatible` for any other address. */
export const ofAddress = (baseUrl: string): Profile => {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ""
  return hosts.find(([pattern]) => pattern.test(host))?.[1] ?? compatible
}
