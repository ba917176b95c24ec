/**
 * A real HTTP server that implements Anthropic's messages API with scripted responses and validates requests.
 *
 * - Each request with the right URL and key is recorded and validated by `AnthropicRules`. An invalid request is refused with
 *   the API's error. Thinking that this server did not sign is refused too.
 * - `message` makes a response of the API, streamed if the request asks for a stream, and validates it against the published
 *   schema. `raw` and `events` make any other response, for example a truncated, slow or malformed response.
 * - Each valid request receives the next response of the script. After the last response the server returns 500.
 */
import { Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { refusal, type RequestBody, schemaErrors } from "./AnthropicRules.ts"
import * as ScriptedServer from "./ScriptedServer.ts"
import { eventStream, halves, json, type Piece, raw } from "./ScriptedServer.ts"

export { raw } from "./ScriptedServer.ts"

/** Creates the response to a request. */
export type Responder = ScriptedServer.Responder<RequestBody>

type Block = { readonly type: string; readonly [field: string]: unknown }

/** A call. `input` is an object, or a possibly malformed JSON text that is streamed unchanged. */
export interface ApiCall {
  readonly id: string
  readonly name: string
  readonly input: object | string
}

export interface Message {
  readonly thinking?: string
  /** The data of redacted thinking. */
  readonly redacted?: string
  readonly text?: string
  readonly calls?: ReadonlyArray<ApiCall>
  /** Blocks that are sent unchanged after the other blocks. */
  readonly blocks?: ReadonlyArray<Block>
  readonly stopReason?: string
  readonly stopSequence?: string
  readonly usage?: {
    readonly input: number
    readonly output: number
    readonly read?: number
    readonly written?: number
    /** The part of the output that is thinking. */
    readonly thinking?: number
  }
}

/** Returns the signature that this server gives to thinking. */
export const signatureOf = (thinking: string): string => `sig-${Buffer.from(thinking).toString("base64")}`

/** Creates the body of an error response. */
export const errorBody = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_1"
})

/** Creates an error response of the API. */
export const failure = (
  status: number,
  type: string,
  message: string,
  headers: { readonly [name: string]: string } = {}
): Responder => raw(status, errorBody(type, message), { ...json, ...headers })

/** Creates a streamed response of events. An event is an object with its type; any other piece is sent unchanged. */
export const events =
  (list: ReadonlyArray<Piece | Block>, options: { readonly cut?: boolean } = {}): Responder =>
  () => ({
    status: 200,
    headers: eventStream,
    pieces: list.map((event): Piece =>
      isPiece(event) ? event : `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
    ),
    ...(options.cut === undefined ? {} : { cut: options.cut })
  })

const isPiece = (event: Piece | Block): event is Piece =>
  typeof event === "string" || "until" in event || "bytes" in event || "json" in event

const usageOf = ({ input, output, read = 0, thinking, written = 0 }: NonNullable<Message["usage"]>) => ({
  cache_creation: null,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
  inference_geo: null,
  input_tokens: input,
  output_tokens: output,
  output_tokens_details: thinking === undefined ? null : { thinking_tokens: thinking },
  server_tool_use: null,
  service_tier: "standard"
})

/** Throws if a response of this server does not match the API's schema. */
const valid = <A>(definition: string, value: A): A => {
  const errors = schemaErrors(definition, value)
  if (errors.length > 0) throw new Error(`${definition}: ${errors.join("; ")} in ${JSON.stringify(value)}`)
  return value
}

const direct = { caller: { type: "direct" } }

const inputOf = (input: object | string): unknown => (typeof input === "string" ? JSON.parse(input) : input)

const blocksOf = ({ blocks = [], calls = [], redacted, text, thinking }: Message): ReadonlyArray<Block> => [
  ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: signatureOf(thinking) }]),
  ...(redacted === undefined ? [] : [{ type: "redacted_thinking", data: redacted }]),
  ...(text === undefined ? [] : [{ type: "text", text, citations: null }]),
  ...calls.map(({ id, input, name }) => ({ type: "tool_use", id, name, input, ...direct })),
  ...blocks
]

/** Creates the first event of a stream. */
export const start = (usage: NonNullable<Message["usage"]> = { input: 10, output: 1 }): Block => ({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "served-model",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    container: null,
    usage: usageOf(usage)
  }
})

/** Creates the last events of a stream. */
export const stop = (
  stopReason = "end_turn",
  usage: NonNullable<Message["usage"]> = { input: 10, output: 5 },
  stopSequence: string | null = null
): ReadonlyArray<Block> => {
  const { cache_creation: _, inference_geo: __, service_tier: ___, ...counts } = usageOf(usage)
  return [
    {
      type: "message_delta",
      delta: { container: null, stop_reason: stopReason, stop_sequence: stopSequence },
      usage: counts
    },
    { type: "message_stop" }
  ]
}

export const begin = (index: number, block: Block): Block => ({
  type: "content_block_start",
  index,
  content_block: block
})
export const delta = (index: number, change: Block): Block => ({ type: "content_block_delta", index, delta: change })
export const end = (index: number): Block => ({ type: "content_block_stop", index })

/** Creates the events of a block. Texts and arguments are sent in two pieces. */
const eventsOf = (block: Block, index: number): ReadonlyArray<Block> => {
  const text = String(block["text"] ?? block["thinking"] ?? "")
  switch (block.type) {
    case "text":
      return [
        begin(index, { type: "text", text: "", citations: null }),
        ...halves(text).map((half) => delta(index, { type: "text_delta", text: half })),
        end(index)
      ]
    case "thinking":
      return [
        begin(index, { type: "thinking", thinking: "", signature: "" }),
        ...halves(text).map((thinking) => delta(index, { type: "thinking_delta", thinking })),
        delta(index, { type: "signature_delta", signature: block["signature"] }),
        end(index)
      ]
    case "tool_use": {
      const { input, ...rest } = block
      const argumentText = typeof input === "string" ? input : JSON.stringify(input)
      return [
        begin(index, { ...rest, input: {} }),
        delta(index, { type: "input_json_delta", partial_json: "" }),
        ...halves(argumentText).map((half) => delta(index, { type: "input_json_delta", partial_json: half })),
        end(index)
      ]
    }
    default:
      return [begin(index, block), end(index)]
  }
}

/** Creates a response, streamed if the request asks for a stream. Malformed arguments can only be streamed. */
export const message = (answer: Message): Responder => {
  const { calls = [], stopSequence = null, usage = { input: 10, output: 5 } } = answer
  const stopReason = answer.stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn")
  const isKnown = stopReason !== "model_context_window_exceeded" // this reason is newer than the published schema
  return (body) => {
    const blocks = blocksOf(answer)
    if (body.stream !== true) {
      const content = blocks.map((block) =>
        block.type === "tool_use" ? { ...block, input: inputOf(block["input"] as object | string) } : block
      )
      const response = {
        ...(start(usage)["message"] as object),
        content,
        stop_reason: stopReason,
        stop_sequence: stopSequence
      }
      return raw(200, isKnown ? valid("Message", response) : response, { ...json, "request-id": "req_1" })(body)
    }
    const list = [start({ ...usage, output: 1 }), ...blocks.flatMap(eventsOf), ...stop(stopReason, usage, stopSequence)]
    const checked = list.map((event) =>
      isKnown || event.type !== "message_delta" ? valid("MessageStreamEvent", event) : event
    )
    return events(checked.toSpliced(1, 0, { type: "ping" }))(body)
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
  /** The origin, without `/v1`. */
  readonly baseUrl: string
  /** The recorded requests so far. */
  readonly requests: ReadonlyArray<RecordedRequest>
}

/** Returns an error if the request contains thinking that this server did not sign. */
const signatureError = ({ messages = [] }: RequestBody): string | undefined => {
  for (const [index, { content }] of messages.entries()) {
    if (typeof content === "string") continue
    const place = content.findIndex(
      ({ signature, thinking, type }) => type === "thinking" && signature !== signatureOf(String(thinking))
    )
    if (place >= 0) return `messages.${index}.content.${place}: Invalid \`signature\` in \`thinking\` block`
  }
  return undefined
}

/** Starts a server on loopback with scripted responses. It stops with the scope. With `apiKey`, it refuses other keys. */
export const serve = (
  script: ReadonlyArray<Responder>,
  options: { readonly apiKey?: string } = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.suspend(() => {
    const requests: Array<RecordedRequest> = []
    let played = 0
    const respondTo = (request: IncomingMessage, body: RequestBody): Responder => {
      const { headers, method, url } = request
      if (method !== "POST" || url !== "/v1/messages")
        return failure(404, "not_found_error", `Not found: ${method} ${url}`)
      const key = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /u, "")
      if (options.apiKey !== undefined && key !== options.apiKey) {
        return failure(401, "authentication_error", "invalid x-api-key")
      }
      const version = headers["anthropic-version"]
      const refused =
        typeof version !== "string"
          ? "anthropic-version: header is required"
          : (refusal(body, version) ?? signatureError(body))
      requests.push({ headers, body, refused })
      if (refused !== undefined) return failure(400, "invalid_request_error", refused)
      return script[played++] ?? failure(500, "api_error", "The script has no more responses.")
    }
    return Effect.map(ScriptedServer.start(respondTo), (baseUrl) => ({ baseUrl, requests }))
  })
