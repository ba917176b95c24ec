/**
 * A real HTTP server that implements OpenAI's Responses API with scripted responses and validates requests.
 *
 * - Each request with the right URL and key is recorded and validated by `ResponsesRules`. An invalid request is refused with
 *   the API's error. Reasoning that this server did not encrypt is refused too, and so is the id of a response that it has
 *   not stored.
 * - `response` makes a response of the API, streamed if the request asks for a stream, and validates it against the schema.
 *   `raw` and `events` make any other response, for example a truncated, slow or malformed response.
 * - Each valid request receives the next response of the script. After the last response the server returns 500.
 */
import { Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { type ApiError, apiError } from "./OpenAiRules.ts"
import { type Item, itemsOf, openCalls, refusal, type RequestBody } from "./ResponsesRules.ts"
import { schemaErrors } from "./ResponsesSchema.ts"
import * as ScriptedServer from "./ScriptedServer.ts"
import { eventStream, halves, json, type Piece, raw } from "./ScriptedServer.ts"

export { raw } from "./ScriptedServer.ts"

/** Creates the response to a request. */
export type Responder = ScriptedServer.Responder<RequestBody>

type Event = { readonly type: string; readonly [field: string]: unknown }

/** A call in a response of the API. */
export interface ApiCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface Answer {
  /** The id of the response. Its items have ids with the same end. Default: a new id for each response. */
  readonly id?: string
  readonly thinking?: string
  readonly text?: string
  readonly refusal?: string
  readonly phase?: "commentary" | "final_answer"
  readonly calls?: ReadonlyArray<ApiCall>
  /** Items that are sent unchanged after the other items. */
  readonly items?: ReadonlyArray<Item>
  /** The reason of an incomplete response. */
  readonly incomplete?: "max_output_tokens" | "content_filter" | "steered"
  readonly usage?: {
    readonly input: number
    readonly output: number
    readonly cached?: number
    readonly written?: number
    readonly reasoning?: number
  }
}

/** Returns what this server encrypts for reasoning with an id. */
export const encryptedOf = (id: string): string => `gAAA-${Buffer.from(id).toString("base64")}`

/** Creates an error response of the API. */
export const failure = (
  status: number,
  message: string,
  fields: Parameters<typeof apiError>[1] = {},
  headers: { readonly [name: string]: string } = {}
): Responder => raw(status, apiError(message, fields), { ...json, ...headers })

/** Throws if a response of this server does not match the API's schema. */
const valid = <A>(definition: "Response" | "StreamEvent", value: A): A => {
  const errors = schemaErrors(definition, value)
  if (errors.length > 0) throw new Error(`${definition}: ${errors.join("; ")} in ${JSON.stringify(value)}`)
  return value
}

const isPiece = (event: Piece | Event): event is Piece =>
  typeof event === "string" || "until" in event || "bytes" in event || "json" in event

/** Creates a streamed response of events, which get their sequence numbers. Any other piece is sent unchanged. */
export const events =
  (list: ReadonlyArray<Piece | Event>, options: { readonly cut?: boolean } = {}): Responder =>
  () => ({
    status: 200,
    headers: eventStream,
    pieces: list.map((event, sequence_number): Piece => {
      if (isPiece(event)) return event
      return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`
    }),
    ...(options.cut === undefined ? {} : { cut: options.cut })
  })

/** Creates a response object of the API. */
export const responseObject = (fields: { readonly [field: string]: unknown } = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  status: "completed",
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: "served-model",
  output: [] as ReadonlyArray<Item>,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  usage: null,
  user: null,
  ...fields
})

const usageOf = ({ cached = 0, input, output, reasoning = 0, written = 0 }: NonNullable<Answer["usage"]>) => ({
  input_tokens: input,
  input_tokens_details: { cache_write_tokens: written, cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output
})

const itemsOfAnswer = (answer: Answer, id: string): ReadonlyArray<Item> => {
  const { calls = [], incomplete, items = [], phase, refusal, text, thinking } = answer
  const contents = [
    ...(text === undefined ? [] : [{ type: "output_text", text, annotations: [], logprobs: [] }]),
    ...(refusal === undefined ? [] : [{ type: "refusal", refusal }])
  ]
  const status = incomplete === undefined ? "completed" : "incomplete"
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            id: `rs_${id}`,
            type: "reasoning",
            summary: [{ type: "summary_text", text: thinking }],
            encrypted_content: encryptedOf(`rs_${id}`)
          }
        ]),
    ...(contents.length === 0
      ? []
      : [
          {
            id: `msg_${id}`,
            type: "message",
            role: "assistant",
            status,
            content: contents,
            ...(phase === undefined ? {} : { phase })
          }
        ]),
    ...calls.map(({ arguments: text, id: call_id, name }, index) => ({
      id: `fc_${id}_${index}`,
      type: "function_call",
      status,
      call_id,
      name,
      arguments: text
    })),
    ...items
  ]
}

/** Creates the first events of a stream. */
export const start = (response: object = responseObject({ status: "in_progress" })): ReadonlyArray<Event> => [
  { type: "response.created", response },
  { type: "response.in_progress", response }
]

export const added = (output_index: number, item: Item): Event => ({
  type: "response.output_item.added",
  output_index,
  item
})
export const done = (output_index: number, item: Item): Event => ({
  type: "response.output_item.done",
  output_index,
  item
})

interface Content {
  readonly type: string
  readonly text?: string
  readonly refusal?: string
}

const contentEvents = (place: object, content: Content): ReadonlyArray<Event> => {
  const isText = content.type === "output_text"
  const kind = isText ? "output_text" : "refusal"
  const whole = content.text ?? content.refusal ?? ""
  const logprobs = isText ? { logprobs: [] } : {}
  return [
    { type: "response.content_part.added", ...place, part: { ...content, [isText ? "text" : "refusal"]: "" } },
    ...halves(whole).map((delta) => ({ type: `response.${kind}.delta`, ...place, delta, ...logprobs })),
    { type: `response.${kind}.done`, ...place, [isText ? "text" : "refusal"]: whole, ...logprobs },
    { type: "response.content_part.done", ...place, part: content }
  ]
}

/** Creates the events of an item. Texts and arguments are sent in two pieces. */
export const itemEvents = (item: Item, output_index: number): ReadonlyArray<Event> => {
  const place = { item_id: item.id, output_index }
  const around = (first: Item, ...between: ReadonlyArray<Event>) => [
    added(output_index, first),
    ...between,
    done(output_index, item)
  ]
  switch (item.type) {
    case "message": {
      const contents = item["content"] as ReadonlyArray<Content>
      const all = contents.flatMap((content, content_index) => contentEvents({ ...place, content_index }, content))
      return around({ ...item, status: "in_progress", content: [] }, ...all)
    }
    case "reasoning": {
      const summary = item["summary"] as ReadonlyArray<Content>
      const all = summary.flatMap((part, summary_index): ReadonlyArray<Event> => {
        const at = { ...place, summary_index }
        const text = part.text ?? ""
        return [
          { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
          ...halves(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
          { type: "response.reasoning_summary_text.done", ...at, text },
          { type: "response.reasoning_summary_part.done", ...at, part }
        ]
      })
      return around({ ...item, summary: [], encrypted_content: "gAAA" }, ...all)
    }
    case "function_call": {
      const text = String(item["arguments"])
      const type = "response.function_call_arguments"
      return around(
        { ...item, status: "in_progress", arguments: "" },
        ...halves(text).map((delta) => ({ type: `${type}.delta`, ...place, delta })),
        { type: `${type}.done`, ...place, arguments: text }
      )
    }
    case "custom_tool_call": {
      const text = String(item["input"])
      const type = "response.custom_tool_call_input"
      return around(
        { ...item, input: "" },
        ...halves(text).map((delta) => ({ type: `${type}.delta`, ...place, delta })),
        { type: `${type}.done`, ...place, input: text }
      )
    }
    default:
      return around(item)
  }
}

/** The responses of a server so far, which give each response an id. */
let responses = 0

/** Creates a response, streamed if the request asks for a stream. Texts and arguments are streamed in two pieces. */
export const response = (answer: Answer): Responder => {
  const { id = `${++responses}`, incomplete, usage = { input: 10, output: 5 } } = answer
  const output = itemsOfAnswer(answer, id)
  return (body) => {
    const fields = { id: `resp_${id}`, store: body.store ?? true }
    const whole = responseObject({
      ...fields,
      output,
      status: incomplete === undefined ? "completed" : "incomplete",
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      usage: usageOf(usage)
    })
    if (body.stream !== true) return raw(200, valid("Response", whole), { ...json, "x-request-id": "req_1" })(body)
    const list = [
      ...start(responseObject({ ...fields, status: "in_progress" })),
      ...output.flatMap(itemEvents),
      { type: `response.${incomplete === undefined ? "completed" : "incomplete"}`, response: whole }
    ]
    list.forEach((event, sequence_number) => valid("StreamEvent", { ...event, sequence_number }))
    return events(list)(body)
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
  /** Deletes the stored responses. */
  readonly forget: () => void
}

interface Options {
  readonly apiKey?: string
  /** The error for a request that OpenAI accepts and this server refuses; undefined if it accepts the request. */
  readonly refuses?: (body: RequestBody) => ApiError | undefined
}

/** Returns an error if the request contains reasoning that this server did not encrypt. */
const encryptionError = (body: RequestBody): ApiError | undefined => {
  const foreign = itemsOf(body).find(
    ({ encrypted_content: content, id = "", type }) =>
      type === "reasoning" && typeof content === "string" && content !== encryptedOf(id)
  )
  return foreign === undefined
    ? undefined
    : apiError(`The encrypted content for item ${foreign.id} could not be verified.`, {
        code: "invalid_encrypted_content"
      })
}

/** Returns the items of a response that was sent as a whole or as events. */
const outputOf = ({
  pieces
}: ScriptedServer.ScriptedResponse): { readonly id?: string; readonly output?: ReadonlyArray<Item> } => {
  const last = pieces.at(-1)
  if (typeof last === "object" && "json" in last) return last.json as object
  const data = typeof last === "string" ? /^data: (.*)$/mu.exec(last)?.[1] : undefined
  return data === undefined ? {} : ((JSON.parse(data) as { readonly response?: object }).response ?? {})
}

/** Starts a server on loopback with scripted responses. It stops with the scope. With `apiKey`, it refuses other keys. */
export const serve = (
  script: ReadonlyArray<Responder>,
  { apiKey, refuses }: Options = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.suspend(() => {
    const requests: Array<RecordedRequest> = []
    const stored = new Map<string, ReadonlySet<string>>()
    let played = 0
    const refusalOf = (body: RequestBody): ApiError | undefined => {
      const previous = body.previous_response_id
      const calls = previous === undefined ? undefined : stored.get(previous)
      if (previous !== undefined && calls === undefined) {
        return apiError(`Previous response with id '${previous}' not found.`, {
          code: "previous_response_not_found",
          param: "previous_response_id"
        })
      }
      return (
        refuses?.(body) ??
        refusal(body, calls === undefined ? undefined : { openCalls: calls }) ??
        encryptionError(body)
      )
    }
    const respondTo = (request: IncomingMessage, body: RequestBody): Responder => {
      if (request.method !== "POST" || request.url !== "/v1/responses") {
        return failure(404, `Invalid URL (${request.method} ${request.url})`)
      }
      if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
        return failure(401, "Incorrect API key provided.", { code: "invalid_api_key" })
      }
      const refused = refusalOf(body)
      requests.push({ headers: request.headers, body, refused: refused?.error.message })
      if (refused !== undefined) return raw(400, refused)
      const respond = script[played++] ?? failure(500, "The script has no more responses.", { type: "server_error" })
      return (received) => {
        const sent = respond(received)
        if (body.store !== false && sent.status === 200 && sent.hang !== true) {
          const { id, output = [] } = outputOf(sent)
          if (id !== undefined) stored.set(id, openCalls(output))
        }
        return sent
      }
    }
    return Effect.map(ScriptedServer.start(respondTo), (origin) => ({
      baseUrl: `${origin}/v1`,
      requests,
      forget: () => stored.clear()
    }))
  })
