/**
 * Sends a request to a provider and reads what comes back, within bounds. What the answer means is the protocol's.
 *
 * - A body of more than `maxBytes` is not read on; a stream's events count by what they hold (the protocol's translator).
 * - Nothing waits for ever: `timeout` bounds a whole answer, and the silence between two parts of a streamed one;
 *   comments and chunks that hold nothing are silence.
 * - Redirects are not followed: credentials and conversation go to the address that was given, and nowhere else.
 * - Every failure is a reason of `AiError`; a connection that breaks in the body is transient.
 */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as Fields from "#domain/json/Fields"
import * as Failures from "./Failures.ts"

type Reason = AiError.AiErrorReason

/** What a translator of streamed answers is made for. */
export interface TranslatorOptions {
  /** The call ids of the conversation. */
  readonly seen: ReadonlySet<string>
  /** Most characters of text and arguments that one answer may hold. */
  readonly maxSize: number
  /** The address, for errors. */
  readonly url: string
  /** Epoch milliseconds, and the headers of the answer, for errors inside the stream. */
  readonly now: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** What must not stand in an error: the API key. */
  readonly secret: string
}

type Pieces = Result.Result<ReadonlyArray<Response.StreamPartEncoded>, Reason>

/** Translates one streamed answer. */
export interface Translator {
  /** Takes the data of one event. */
  readonly push: (data: string) => Pieces
  /** Whether the protocol says that no event follows. */
  readonly isOver: () => boolean
  /** Ends the answer; `problem` says how the connection broke, where it did. */
  readonly finish: (problem?: Reason) => Pieces
}

/** How answers are read. */
export interface Protocol {
  readonly provider: Failures.Provider
  /** The parts of a whole answer. `seen` holds the call ids of the conversation. */
  readonly parts: (body: unknown, seen: ReadonlySet<string>) => Result.Result<Array<Response.PartEncoded>, Reason>
  readonly translator: (options: TranslatorOptions) => Translator
}

/** Where requests go, and how much is read of an answer. */
export interface Endpoint {
  readonly protocol: Protocol
  readonly client: HttpClient.HttpClient
  readonly url: string
  /** Puts the credentials into a request. */
  readonly authorize: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
  /** What must not stand in an error: the API key. Empty for none. */
  readonly secret: string
  readonly headers: { readonly [name: string]: string }
  readonly timeout: Duration.Duration
  /** Most bytes of an answer that are read. */
  readonly maxBytes: number
}

/** Of a refusal only the beginning is read. */
const maxErrorBytes = 65_536

/** What errors tell of an endpoint, and what they must not. */
const toldOf = ({ secret, url }: Endpoint) => ({ address: Failures.addressOf(url), secret, url })

const silent = (endpoint: Endpoint): Reason => Failures.cut("no answer in time", toldOf(endpoint).address)

/** The text of a body, up to a number of bytes; `true` where there was more. */
const readText = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number,
  endpoint: Endpoint
): Effect.Effect<readonly [text: string, more: boolean], Reason> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let size = 0
    return response.stream.pipe(
      Stream.takeUntil((chunk) => {
        size += chunk.length
        if (size <= maxBytes) text += decoder.decode(chunk, { stream: true })
        return size > maxBytes
      }),
      Stream.runDrain,
      Effect.catchIf(
        (error) => error.reason._tag === "EmptyBodyError",
        () => Effect.void
      ),
      Effect.mapError((error) => Failures.transport(error, toldOf(endpoint))),
      Effect.map(() => [text + decoder.decode(), size > maxBytes])
    )
  })

const parse = (text: string): Result.Result<unknown, Reason> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    const isJson = /^\s*[{[]/u.test(text)
    if (text.trim() === "") return Result.fail(Failures.broken("the answer is empty"))
    return Result.fail(
      isJson ? Failures.broken("the answer's JSON is cut") : Failures.invalid("the answer is not JSON")
    )
  }
}

const jsonOr = (text: string): unknown => Result.getOrElse(parse(text), () => text)

/** The client of fetch follows redirects by itself, with every header but `authorization`. */
const withoutRedirects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    Context.add(context, FetchHttpClient.RequestInit, {
      ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
      redirect: "manual"
    })
  )

/** Sends the body. Fails where the server refuses it. */
const send = (endpoint: Endpoint, body: unknown): Effect.Effect<HttpClientResponse.HttpClientResponse, Reason> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({ try: () => JSON.stringify(body), catch: Failures.unwritable })
    const request = HttpClientRequest.post(endpoint.url).pipe(
      HttpClientRequest.setHeaders(endpoint.headers),
      endpoint.authorize,
      HttpClientRequest.bodyText(text, "application/json")
    )
    const response = yield* endpoint.client.execute(request).pipe(
      withoutRedirects,
      Effect.mapError((error) => Failures.transport(error, toldOf(endpoint)))
    )
    if (response.status >= 200 && response.status < 300) return response
    const [told] = yield* Effect.orElseSucceed(readText(response, maxErrorBytes, endpoint), () => ["", false] as const)
    const { headers, status } = response
    const now = yield* Clock.currentTimeMillis
    const { protocol, secret } = endpoint
    return yield* Failures.refused({ provider: protocol.provider, status, headers, body: jsonOr(told), now, secret })
  })

const readWhole = (
  endpoint: Endpoint,
  response: HttpClientResponse.HttpClientResponse,
  seen: ReadonlySet<string>
): Effect.Effect<Array<Response.PartEncoded>, Reason> =>
  Effect.gen(function* () {
    const [text, more] = yield* readText(response, endpoint.maxBytes, endpoint)
    if (more) return yield* Failures.invalid(`the answer exceeds ${endpoint.maxBytes} bytes`)
    const body = yield* Effect.fromResult(parse(text))
    const { protocol, secret } = endpoint
    if (!Failures.isError(body)) return yield* Effect.fromResult(protocol.parts(body, seen))
    const now = yield* Clock.currentTimeMillis
    return yield* Failures.refused({ provider: protocol.provider, headers: response.headers, body, now, secret })
  })

/** Asks for a whole answer. `seen` holds the call ids of the conversation. */
export const request = (
  endpoint: Endpoint,
  body: { readonly [field: string]: unknown },
  seen: ReadonlySet<string>
): Effect.Effect<Array<Response.PartEncoded>, Reason> =>
  Effect.flatMap(send(endpoint, body), (response) => readWhole(endpoint, response, seen)).pipe(
    Effect.timeoutOrElse({ duration: endpoint.timeout, orElse: () => Effect.fail(silent(endpoint)) })
  )

/** The end of the events as some protocols mark it: no JSON. */
export const done = "[DONE]"

/** The data of each event. A last event that lacks its blank line counts if it is whole. */
const events = (bytes: Stream.Stream<Uint8Array, Reason>, maxBytes: number): Stream.Stream<string, Reason> =>
  Stream.suspend(() => {
    const found: Array<string> = []
    const onEvent = (event: Sse.AnyEvent) => {
      if (event._tag === "Event") found.push(event.data)
    }
    const parser = Sse.makeParser(onEvent, { maxEventSize: maxBytes })
    const isWhole = (data: string) => data.trim() === done || Result.isSuccess(parse(data))
    return Stream.mapAccumEffect(
      Stream.decodeText(bytes),
      () => undefined,
      (state, text) =>
        parser.feed(text) === undefined
          ? Effect.succeed([state, found.splice(0)] as const)
          : Effect.fail(Failures.invalid(`an event exceeds ${maxBytes} characters`)),
      {
        onHalt: () => {
          parser.feed("\n\n")
          return found.splice(0).filter(isWhole)
        }
      }
    )
  })

const readEvents = (
  endpoint: Endpoint,
  response: HttpClientResponse.HttpClientResponse,
  seen: ReadonlySet<string>
): Stream.Stream<Response.StreamPartEncoded, Reason> =>
  Stream.unwrap(
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { maxBytes, protocol, secret, timeout } = endpoint
      const { headers } = response
      const url = toldOf(endpoint).address
      const translator = protocol.translator({ seen, maxSize: maxBytes, url, now, headers, secret })
      let problem: Reason | undefined
      const played = (step: () => Pieces) => Effect.suspend(() => Effect.fromResult(step()))
      const play = (step: () => Pieces) => Stream.fromIterableEffect(played(step))
      return response.stream.pipe(
        Stream.mapError((error) => Failures.transport(error, toldOf(endpoint))),
        (bytes) => events(bytes, maxBytes),
        // A connection that breaks after the answer was complete takes nothing away from it: `finish` decides.
        Stream.catch((reason) => {
          problem = reason
          return Stream.empty
        }),
        Stream.mapEffect((data) => played(() => translator.push(data))),
        Stream.takeUntil(() => translator.isOver()),
        Stream.flatMap(Stream.fromIterable),
        Stream.concat(play(() => translator.finish(problem))),
        Stream.timeoutOrElse({ duration: timeout, orElse: () => play(() => translator.finish(silent(endpoint))) })
      )
    })
  )

/** Asks for a streamed answer. A server that answers whole all the same is read as well. */
export const requestStream = (
  endpoint: Endpoint,
  body: { readonly [field: string]: unknown },
  seen: ReadonlySet<string>
): Stream.Stream<Response.StreamPartEncoded, Reason> =>
  Effect.gen(function* () {
    const response = yield* send(endpoint, body)
    const type = response.headers["content-type"] ?? ""
    if (!/json|html/iu.test(type)) return readEvents(endpoint, response, seen)
    const parts = yield* readWhole(endpoint, response, seen)
    const textOf = (call: Response.ToolCallPartEncoded) => Fields.string(call.params) || JSON.stringify(call.params)
    return Stream.fromIterable(ModelResponse.toStream(parts, textOf))
  }).pipe(
    Effect.timeoutOrElse({ duration: endpoint.timeout, orElse: () => Effect.fail(silent(endpoint)) }),
    Stream.unwrap
  )
