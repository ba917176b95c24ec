/**
 * The behaviour of the servers of each profile: fields that they accept in addition to OpenAI's API, requests that they refuse,
 * and the form of their responses. `layers/internal/openai/Profile.ts` has the source of each rule.
 */
import type { Deviation, Responder } from "./OpenAiServer.ts"
import { chunk, events, raw } from "./OpenAiServer.ts"
import type { RequestBody } from "./OpenAiRules.ts"

export interface Behaviour {
  readonly deviation: Deviation
  /** A response with reasoning and two calls, in the form of this server, whole and streamed. */
  readonly calling: Responder
  /** A response with text and token counts. */
  readonly saying: Responder
}

const messagesOf = ({ messages = [] }: RequestBody) => messages
const calling = (body: RequestBody) => messagesOf(body).filter(({ tool_calls }) => tool_calls !== undefined)

const says = (body: RequestBody, word: string): boolean => JSON.stringify(messagesOf(body)).toLowerCase().includes(word)

const wrongTypes = (body: RequestBody, known: ReadonlyArray<string>): string | undefined => {
  const { type } = (body["response_format"] ?? {}) as { readonly type?: string }
  if (type === undefined) return undefined
  if (!known.includes(type)) return `This response_format type is unavailable: ${type}`
  return type === "json_object" && !says(body, "json") ? "Prompt must contain the word 'json'." : undefined
}

const unknownField = (body: RequestBody, ...fields: ReadonlyArray<string>): string | undefined =>
  fields.map((field) => (body[field] === undefined ? undefined : `Unknown field: ${field}`)).find(Boolean)

const usage = { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 }

const message = (body: object, finish_reason: string, counts: object = usage): Responder =>
  raw(200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "served-model",
    choices: [{ index: 0, message: { role: "assistant", ...body }, finish_reason }],
    usage: counts
  })

/** Creates a response that is streamed if the request asks for a stream. */
const both =
  (whole: Responder, streamed: ReadonlyArray<object>, counts: object = usage): Responder =>
  (body) => {
    if (body.stream !== true) return whole(body)
    const wants = (body["stream_options"] as { readonly include_usage?: boolean } | undefined)?.include_usage === true
    return events([...streamed, ...(wants ? [chunk({}, null, { choices: [], usage: counts })] : [])])(body)
  }

const call = (id: string, q: string, more: object = {}) => ({
  id,
  type: "function",
  ...more,
  function: { name: "search", arguments: `{"q":"${q}"}` }
})

/** Creates a response with reasoning in `field`. Its calls are streamed in pieces with their index. */
const byIndex = (field: string, finish = "tool_calls"): Responder =>
  both(message({ content: "", [field]: "Let me see.", tool_calls: [call("c1", "a"), call("c2", "b")] }, finish), [
    chunk({ role: "assistant", content: null, [field]: "Let me " }),
    chunk({ content: null, [field]: "see." }),
    chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "search", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, id: "", function: { arguments: '{"q":"a"}' } }] }),
    chunk({ tool_calls: [{ index: 1, id: "c2", type: "function", function: { name: "search", arguments: '{"q"' } }] }),
    chunk({ tool_calls: [{ index: 1, id: "", function: { arguments: ':"b"}' } }] }),
    chunk({ content: "" }, finish)
  ])

const text = (counts: object = usage): Responder =>
  both(
    message({ content: "Done." }, "stop", counts),
    [chunk({ role: "assistant", content: "Do" }), chunk({ content: "ne." }), chunk({}, "stop")],
    counts
  )

export const behaviours: { readonly [name: string]: Behaviour } = {
  openai: {
    deviation: {
      // error of reasoning models: "Unsupported parameter: 'max_tokens' is not supported with this model."
      refuses: (body) => (body["max_tokens"] === undefined ? undefined : "Unsupported parameter: 'max_tokens'")
    },
    calling: both(message({ content: null, tool_calls: [call("c1", "a"), call("c2", "b")] }, "tool_calls"), [
      chunk({ role: "assistant", content: null }),
      chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "search", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"q":"a"}' } }] }),
      chunk({ tool_calls: [{ index: 1, id: "c2", type: "function", function: { name: "search", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '{"q":"b"}' } }] }),
      chunk({}, "tool_calls")
    ]),
    saying: text({ ...usage, prompt_tokens_details: { cached_tokens: 12 } })
  },
  qwen: {
    deviation: {
      fields: ["enable_thinking"],
      refuses: (body) => {
        const choice = body["tool_choice"]
        if (choice === "required" || typeof choice === "object") {
          return "The tool_choice parameter does not support being set to required or object in thinking mode"
        }
        return unknownField(body, "max_completion_tokens") ?? wrongTypes(body, ["text", "json_object"])
      }
    },
    calling: byIndex("reasoning_content"),
    saying: text({ ...usage, prompt_tokens_details: { cached_tokens: 12 } })
  },
  vllm: {
    deviation: { fields: ["chat_template_kwargs"], messageFields: ["reasoning"] },
    calling: byIndex("reasoning"),
    saying: text()
  },
  ollama: {
    deviation: {
      messageFields: ["reasoning"],
      refuses: (body) => {
        const empty = messagesOf(body).some(
          ({ content, tool_calls }) => (content ?? null) === null && tool_calls === undefined
        )
        if (empty) return "invalid message content type: <nil>"
        const broken = calling(body)
          .flatMap(({ tool_calls = [] }) => tool_calls)
          .some((call) => !isObject((call.function as { readonly arguments?: string }).arguments)) // the rules read only the name
        if (broken) return "invalid tool call arguments"
        return unknownField(body, "tool_choice", "parallel_tool_calls", "max_completion_tokens")
      }
    },
    // each call is sent whole in one chunk, always with the index 0, and the finish reason is "stop"
    calling: both(
      message({ content: "", reasoning: "Let me see.", tool_calls: [call("c1", "a"), call("c2", "b")] }, "tool_calls"),
      [
        chunk({ role: "assistant", content: "", reasoning: "Let me see." }),
        chunk({ role: "assistant", content: "", tool_calls: [call("c1", "a", { index: 0 })] }),
        chunk({ role: "assistant", content: "", tool_calls: [call("c2", "b", { index: 0 })] }),
        chunk({ role: "assistant", content: "" }, "stop")
      ]
    ),
    saying: text()
  },
  deepseek: {
    deviation: {
      fields: ["thinking"],
      messageFields: ["reasoning_content"],
      refuses: (body) => {
        if (body["tool_choice"] !== undefined) return "deepseek-reasoner does not support this tool_choice"
        if (calling(body).some(({ reasoning_content }) => typeof reasoning_content !== "string")) {
          return "The reasoning_content in the thinking mode must be passed back to the API."
        }
        return (
          unknownField(body, "parallel_tool_calls", "max_completion_tokens") ??
          wrongTypes(body, ["text", "json_object"])
        )
      }
    },
    calling: byIndex("reasoning_content"),
    saying: text({ ...usage, prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 8 })
  }
}

const isObject = (text = ""): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
