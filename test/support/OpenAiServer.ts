/**
 * A real HTTP server that implements the chat completions API with scripted responses and validates requests.
 *
 * - Each request with the right URL and key is recorded and validated by `OpenAiRules`. An invalid request is refused with the
 *   API's error.
 * - `completion` makes a response of the API, streamed if the request asks for a stream, and validates it against the published
 *   schema. `raw` and `events` make any other response, for example a truncated, slow or malformed response.
 * - Each valid request receives the next response of the script. After the last response the server returns 500.
 */
import { Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { apiError, refusal, type RequestBody, schemaErrors } from "./OpenAiRules.ts"
import * as ScriptedServer from "./ScriptedServer.ts"
import { eventStream, halves, json, type Piece, raw } from "./ScriptedServer.ts"

export { raw } from "./ScriptedServer.ts"

/** Creates the response to a request. */
export type Responder = ScriptedServer.Responder<RequestBody>

/** A call in a response of the API. */
export interface ApiCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface Completion {
  /** Default `served-model`. */
  readonly model?: string
  readonly text?: string
  readonly refusal?: string
  /** Sent as `reasoning_content`, as several compatible servers do. */
  readonly reasoning?: string
  readonly calls?: ReadonlyArray<ApiCall>
  readonly finishReason?: "stop" | "length" | "tool_calls" | "content_filter"
  readonly usage?: {
    readonly prompt: number
    readonly completion: number
    readonly cached?: number
    readonly reasoning?: number
  }
}

/** Creates an error response of the API. */
export const failure = (
  status: number,
  message: string,
  fields: Parameters<typeof apiError>[1] = {},
  headers: { readonly [name: string]: string } = {}
): Responder => raw(status, apiError(message, fields), { ...json, ...headers })

/** Creates a streamed response of events, with objects as JSON. It ends with `[DONE]` unless `done` is false or `cut` is true. */
export const events =
  (
    chunks: ReadonlyArray<Piece | object>,
    options: { readonly done?: boolean; readonly cut?: boolean } = {}
  ): Responder =>
  () => ({
    status: 200,
    headers: eventStream,
    pieces: [
      ...chunks.map((chunk): Piece =>
        typeof chunk === "string" || "until" in chunk || "bytes" in chunk
          ? (chunk as Piece)
          : `data: ${JSON.stringify(chunk)}\n\n`
      ),
      ...(options.done === false || options.cut === true ? [] : ["data: [DONE]\n\n"])
    ],
    ...(options.cut === undefined ? {} : { cut: options.cut })
  })

/** Creates a chunk of a streamed response. */
export const chunk = (delta: object, finishReason: string | null = null, rest: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "served-model",
  choices: [{ index: 0, delta, finish_reason: finishReason }],
  ...rest
})

const usageOf = ({ cached = 0, completion, prompt, reasoning = 0 }: NonNullable<Completion["usage"]>) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning }
})

/** Throws if a response of this server does not match the API's schema. */
const valid = <A>(definition: string, value: A): A => {
  const errors = schemaErrors(definition, value)
  if (errors.length > 0) throw new Error(`${definition}: ${errors.join("; ")}`)
  return value
}

/** Creates a response, streamed if the request asks for a stream. Texts and arguments are streamed in two pieces. */
export const completion = (answer: Completion): Responder => {
  const { calls = [], model = "served-model", reasoning, refusal, text, usage = { prompt: 10, completion: 5 } } = answer
  const finishReason = answer.finishReason ?? (calls.length > 0 ? "tool_calls" : "stop")
  const toolCalls = calls.map(({ arguments: args, id, name }) => ({
    id,
    type: "function",
    function: { name, arguments: args }
  }))
  return (body) => {
    if (body.stream !== true) {
      const message = {
        role: "assistant",
        content: text ?? null,
        refusal: refusal ?? null,
        ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: toolCalls })
      }
      return raw(
        200,
        valid("CreateChatCompletionResponse", {
          id: "chatcmpl-1",
          object: "chat.completion",
          created: 1_700_000_000,
          model,
          choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
          usage: usageOf(usage)
        }),
        { ...json, "x-request-id": "req_1" }
      )(body)
    }
    const deltas = [
      { role: "assistant", content: "", refusal: null },
      ...halves(reasoning ?? "").map((half) => ({ reasoning_content: half })),
      ...halves(text ?? "").map((content) => ({ content })),
      ...halves(refusal ?? "").map((half) => ({ refusal: half })),
      ...toolCalls.flatMap(({ function: { arguments: args, name }, id, type }, index) => [
        { tool_calls: [{ index, id, type, function: { name, arguments: "" } }] },
        ...halves(args).map((half) => ({ tool_calls: [{ index, function: { arguments: half } }] }))
      ])
    ]
    const wantsUsage = (body["stream_options"] as { include_usage?: boolean } | undefined)?.include_usage === true
    const chunks = [
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finishReason),
      ...(wantsUsage ? [chunk({}, null, { choices: [], usage: usageOf(usage) })] : [])
    ]
    return events(chunks.map((each) => valid("CreateChatCompletionStreamResponse", { ...each, model })))(body)
  }
}

/** A request, and the error if it was refused. */
export interface RecordedRequest {
  readonly headers: IncomingMessage["headers"]
  readonly body: RequestBody
  readonly refused: string | undefined
}

/** A running server. */
export interface Server {
  /** The base URL, including `/v1`. */
  readonly baseUrl: string
  /** The recorded requests so far. */
  readonly requests: ReadonlyArray<RecordedRequest>
}

/** The differences of a server from OpenAI's: additional fields that it accepts, and requests that it refuses. */
export interface Deviation {
  /** Fields of a request that OpenAI does not have. */
  readonly fields?: ReadonlyArray<string>
  /** Fields of a message that OpenAI does not have. */
  readonly messageFields?: ReadonlyArray<string>
  /** The error for a request that OpenAI accepts and this server refuses; undefined if it accepts the request. */
  readonly refuses?: (body: RequestBody) => string | undefined
}

const without = (value: object, fields: ReadonlyArray<string> = []): object =>
  Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)))

/** Validates a request against the server's own rules, and then, without the server's own fields, against the API's rules. */
const refusalOf = (body: RequestBody, { fields, messageFields, refuses }: Deviation) => {
  const message = refuses?.(body)
  if (message !== undefined) return apiError(message)
  const messages = (body.messages ?? []).map((message) => without(message, messageFields))
  return refusal({ ...without(body, fields), messages } as RequestBody)
}

/** Starts a server on loopback with scripted responses. It stops with the scope. With `apiKey`, it refuses other keys. */
export const start = (
  script: ReadonlyArray<Responder>,
  options: { readonly apiKey?: string; readonly deviation?: Deviation } = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.suspend(() => {
    const requests: Array<RecordedRequest> = []
    let played = 0
    const respondTo = (request: IncomingMessage, body: RequestBody): Responder => {
      if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
        return failure(404, `Invalid URL (${request.method} ${request.url})`)
      }
      if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
        return failure(401, "Incorrect API key provided.", { code: "invalid_api_key" })
      }
      const refused = refusalOf(body, options.deviation ?? {})
      requests.push({ headers: request.headers, body, refused: refused?.error.message })
      if (refused !== undefined) return raw(400, refused)
      return script[played++] ?? failure(500, "The script has no more responses.", { type: "server_error" })
    }
    return Effect.map(ScriptedServer.start(respondTo), (origin) => ({ baseUrl: `${origin}/v1`, requests }))
  })
