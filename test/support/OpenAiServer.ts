/**
 * A real HTTP server that speaks the chat completions API, plays a script of answers and is strict about requests.
 *
 * - Each request is recorded and judged by `OpenAiRules` first; what the API would refuse is refused with its error.
 * - `completion` answers as the API does, streamed where the request asks for it, and is itself held against the
 *   published schema. `raw` and `events` answer whatever a test needs: cut, slow, broken.
 * - The script is played in order, one answer a request that was not refused. Past its end: 500.
 */
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { apiError, refusal, type RequestBody, schemaErrors } from "./OpenAiRules.ts"

/** What to write into a body: text and bytes as they are, anything else as JSON, or wait until a promise settles. */
export type Piece =
  | string
  | { readonly until: Promise<unknown> }
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array }

/** An answer, to be made for one request. */
export type Answer = (body: RequestBody) => Played

/** What is sent for a request. */
export interface Played {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly pieces: ReadonlyArray<Piece>
  /** Breaks the connection after the pieces instead of ending the answer. */
  readonly cut?: boolean
  /** Never answers. */
  readonly hang?: boolean
}

/** A call as the API sends it. */
export interface ApiCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface Completion {
  readonly text?: string
  readonly refusal?: string
  readonly calls?: ReadonlyArray<ApiCall>
  readonly finishReason?: "stop" | "length" | "tool_calls" | "content_filter"
  readonly usage?: {
    readonly prompt: number
    readonly completion: number
    readonly cached?: number
    readonly reasoning?: number
  }
}

const json = { "content-type": "application/json" }
const eventStream = { "content-type": "text/event-stream; charset=utf-8" }

/** An answer as it is. */
export const raw =
  (status: number, body: string | object, headers: { readonly [name: string]: string } = json): Answer =>
  () => ({ status, headers, pieces: [typeof body === "string" ? body : { json: body }] })

/** An error answer in the API's shape. */
export const failure = (
  status: number,
  message: string,
  fields: Parameters<typeof apiError>[1] = {},
  headers: { readonly [name: string]: string } = {}
): Answer => raw(status, apiError(message, fields), { ...json, ...headers })

/** A streamed answer of these events; objects are JSON. Ends with `[DONE]` unless told otherwise. */
export const events =
  (chunks: ReadonlyArray<Piece | object>, options: { readonly done?: boolean; readonly cut?: boolean } = {}): Answer =>
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

/** Takes the request and never answers. */
export const hang: Answer = () => ({ status: 200, headers: json, pieces: [], hang: true })

/** Sends a body and breaks the connection in the middle of it. */
export const cutBody =
  (body: string): Answer =>
  () => ({ status: 200, headers: { ...json, "content-length": `${body.length + 100}` }, pieces: [body], cut: true })

/** A chunk of a streamed answer. */
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

/** Throws where an answer of ours is not one of the API. */
const honest = <A>(definition: string, value: A): A => {
  const errors = schemaErrors(definition, value)
  if (errors.length > 0) throw new Error(`${definition}: ${errors.join("; ")}`)
  return value
}

const halves = (text: string): ReadonlyArray<string> => {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "")
}

/** An answer as the API gives it, whole or streamed as the request asks: texts and arguments in two pieces. */
export const completion = (answer: Completion): Answer => {
  const { calls = [], refusal, text, usage = { prompt: 10, completion: 5 } } = answer
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
        ...(calls.length === 0 ? {} : { tool_calls: toolCalls })
      }
      return raw(
        200,
        honest("CreateChatCompletionResponse", {
          id: "chatcmpl-1",
          object: "chat.completion",
          created: 1_700_000_000,
          model: "served-model",
          choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
          usage: usageOf(usage)
        }),
        { ...json, "x-request-id": "req_1" }
      )(body)
    }
    const deltas = [
      { role: "assistant", content: "", refusal: null },
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
    return events(chunks.map((each) => honest("CreateChatCompletionStreamResponse", each)))(body)
  }
}

/** A request as it came, and what the API had to say against it. */
export interface Recorded {
  readonly headers: IncomingMessage["headers"]
  readonly body: RequestBody
  readonly refused: string | undefined
}

/** A running server. */
export interface Server {
  /** Up to and with `/v1`. */
  readonly baseUrl: string
  /** Every request so far. */
  readonly requests: ReadonlyArray<Recorded>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const piece of request) chunks.push(piece as Buffer)
  return Buffer.concat(chunks).toString()
}

const write = async (
  response: ServerResponse,
  { cut, hang: hangs, headers, pieces, status }: Played
): Promise<void> => {
  if (hangs === true) return
  response.writeHead(status, headers)
  response.flushHeaders()
  for (const piece of pieces) {
    if (typeof piece === "string") response.write(piece)
    else if ("until" in piece) await piece.until
    else if ("bytes" in piece) await new Promise((resolve) => response.write(piece.bytes, resolve))
    else response.write(JSON.stringify(piece.json))
  }
  if (cut === true) response.write("", () => response.socket?.destroy())
  else response.end()
}

/** Starts a server on loopback that plays the script; it stops with the scope. `apiKey` makes it refuse other keys. */
export const start = (
  script: ReadonlyArray<Answer>,
  options: { readonly apiKey?: string } = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const requests: Array<Recorded> = []
        let played = 0
        const judge = (request: IncomingMessage, body: RequestBody): Answer => {
          if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
            return failure(404, `Invalid URL (${request.method} ${request.url})`)
          }
          if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
            return failure(401, "Incorrect API key provided.", { code: "invalid_api_key" })
          }
          const refused = refusal(body)
          requests.push({ headers: request.headers, body, refused: refused?.error.message })
          if (refused !== undefined) return raw(400, refused)
          return script[played++] ?? failure(500, "The script is at its end.", { type: "server_error" })
        }
        const server = createServer((request, response) => {
          void readBody(request).then((text) => {
            const body: RequestBody = text === "" ? {} : JSON.parse(text)
            return write(response, judge(request, body)(body))
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { server, requests }
      }),
      ({ server }) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        })
    ),
    ({ requests, server }) => ({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      requests
    })
  )
