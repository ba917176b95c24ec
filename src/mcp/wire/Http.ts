/**
 * Connects to an MCP server by URL: streamable HTTP, with sessions (up to 2025-11-25) and without (2026-07-28).
 *
 * **Details**
 *
 * - Each message is a POST, and its answer is JSON or a stream of events. A stream that ends early is resumed if its
 *   events have ids. Messages without an answer are sent in order, each before the next message.
 * - After `notifications/initialized`, the stream of the server's own messages stays open, if the server offers one.
 * - Closing the scope ends every request, and ends the session with a DELETE.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { withTracedOrigins } from "#services/TracedOrigins"
import * as Allowance from "./Allowance.ts"
import * as Headers from "./Headers.ts"
import * as HttpError from "./HttpError.ts"
import * as HttpResponse from "./HttpResponse.ts"
import { broken, ended as endedBy, gone, type McpError } from "./McpError.ts"
import * as Message from "./Message.ts"
import type { IncomingMessage, OutgoingMessage, Transport } from "./Transport.ts"

export interface Address {
  readonly url: string
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}

const closeTimeout = "2 seconds"
const maxResumptions = 5
const maxRedirects = 3
const maxPauseMillis = 30_000

/** `room` waits while at least this many messages that expect no answer are unsent. */
const maxWaiting = 256

/** The connection ends when this many of these messages are unsent, because the server does not respond. */
const maxUnsent = 10_000

const accept = "application/json, text/event-stream"

export const make = ({
  headers: ownHeaders = {},
  url
}: Address): Effect.Effect<Transport, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const client = HttpClient.withScope(yield* HttpClient.HttpClient)
    const context = yield* Effect.context<never>()
    const closed = yield* Deferred.make<never, McpError>()
    const fibers = new Map<unknown, Fiber.Fiber<void>>()
    const connection: { session: string | undefined; version: string | undefined } = {
      session: undefined,
      version: undefined
    }
    let receive: (incoming: IncomingMessage) => Effect.Effect<void> = () => Effect.void
    let previous: Effect.Effect<void> = Effect.void
    let posts = 0
    let unsent = 0
    let ended: McpError | undefined

    const end = (error: McpError) => {
      if (!Deferred.doneUnsafe(closed, Effect.fail(error))) return
      ended ??= endedBy(error)
      // input from a server that never stops sending is no longer read
      for (const fiber of fibers.values()) fiber.interruptUnsafe()
    }
    const fork = (key: unknown, effect: Effect.Effect<void>): Fiber.Fiber<void> => {
      const fiber = Effect.runForkWith(context)(effect)
      fibers.set(key, fiber)
      fiber.addObserver(() => fibers.delete(key))
      return fiber
    }
    const execute = (
      request: HttpClientRequest.HttpClientRequest,
      redirects = 0
    ): Effect.Effect<HttpClientResponse, McpError, Scope.Scope> =>
      client.execute(HttpClientRequest.setHeaders(request, { ...ownHeaders, ...Headers.of(connection) })).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
        withTracedOrigins(url),
        Effect.mapError((error) => HttpError.unanswered(error, url)),
        Effect.flatMap((response) => {
          const to = redirects < maxRedirects ? HttpResponse.movedTo(response, request.url) : undefined
          return to === undefined
            ? Effect.succeed(response)
            : execute(HttpClientRequest.setUrl(request, to), redirects + 1)
        })
      )

    /** Passes on the messages of an answer. Returns true once the answer to the request itself has arrived. */
    const deliver = (text: string, place: string, about: Message.Id | undefined, empty?: Allowance.Allowance) =>
      Effect.gen(function* () {
        let isAnswered = false
        const read = Message.read(text, place)
        if (read.every(Result.isSuccess)) empty?.refund(text.length)
        for (const incoming of read) {
          const message = Result.isSuccess(incoming) ? incoming.success : undefined
          if (message?._tag === "Response" && about !== undefined) {
            isAnswered ||= message.id === about || message.id === null
            // the result may have any shape; the type of its version is checked next
            const version = (message.result as { protocolVersion?: unknown } | undefined)?.protocolVersion
            if (typeof version === "string" && connection.version === undefined) connection.version = version
          }
          if (Result.isFailure(incoming) && about !== undefined) return yield* incoming.failure
          yield* receive(incoming)
        }
        return isAnswered
      })

    /** Reads events until the answer. If the stream ends without the answer, returns how to resume. */
    const events = (
      response: HttpClientResponse,
      place: string,
      about: Message.Id | undefined,
      from: HttpResponse.Resume,
      empty: Allowance.Allowance
    ) =>
      Effect.gen(function* () {
        const read: Array<Sse.AnyEvent> = []
        const parser = Sse.makeParser((event) => void read.push(event), { maxEventSize: Message.limits.maxBytes })
        const resume: { id: string | undefined; pause: number } = { ...from }
        let ordinal = 0
        let isAnswered = false
        yield* response.stream.pipe(
          Stream.mapError((error) => HttpError.unanswered(error, url)),
          Stream.decodeText(),
          Stream.mapEffect((chunk) =>
            Effect.gen(function* () {
              if (parser.feed(chunk) !== undefined) return yield* HttpResponse.tooLarge
              if (!empty.spend(chunk.length)) {
                end(HttpResponse.tooEmpty)
                return yield* HttpResponse.tooEmpty
              }
              for (const event of read.splice(0)) {
                if (event._tag === "Retry") {
                  resume.pause = Math.min(maxPauseMillis, Duration.toMillis(event.duration))
                  continue
                }
                ordinal += 1
                if (event.id !== undefined) resume.id = event.id
                if (event.data.trim() === "") continue
                if (yield* deliver(event.data, `event ${ordinal} of the ${place}`, about, empty)) isAnswered = true
              }
            })
          ),
          Stream.takeWhile(() => !isAnswered),
          Stream.runDrain,
          // a stream that breaks can be resumed if its events have ids
          Effect.catch((error) => (resume.id !== undefined && error.reason === "gone" ? Effect.void : error))
        )
        return isAnswered ? undefined : resume
      })

    const listenAt = (resume: HttpResponse.Resume) => execute(HttpResponse.listening(url, resume))

    const readAnswer = (response: HttpClientResponse, place: string, about: Message.Id) =>
      Effect.gen(function* () {
        if (HttpResponse.mediaType(response) === "application/json") {
          const isAnswered = yield* deliver(yield* HttpResponse.bodyOf(response, url), place, about)
          if (!isAnswered) return yield* broken("it does not contain the answer to its request", place, "")
          return
        }
        if (HttpResponse.mediaType(response) !== "text/event-stream")
          return yield* broken(
            `its content is ${HttpResponse.mediaType(response)}, not JSON or events`,
            place,
            yield* HttpResponse.bodyOf(response, url)
          )
        const empty = yield* Allowance.make(HttpResponse.maxEmpty)
        let resume = yield* events(response, place, about, { id: undefined, pause: 1_000 }, empty)
        for (let tries = 0; resume !== undefined; tries++) {
          if (resume.id === undefined || tries === maxResumptions)
            return yield* gone("The stream of the answer ended before the answer.")
          yield* Effect.sleep(resume.pause)
          const again: HttpClientResponse = yield* listenAt(resume)
          if (again.status !== 200) return yield* gone("The stream of the answer ended and cannot be resumed.")
          resume = yield* events(again, place, about, resume, empty)
        }
      }).pipe(Effect.scoped)

    const send = (message: OutgoingMessage, place: string): Effect.Effect<void, McpError> =>
      Effect.gen(function* () {
        const { id, method, params, schema, text } = message
        const version = Headers.versionOf(params) ?? connection.version
        const isModern = version !== undefined && version >= "2026-07-28"
        const response = yield* execute(
          HttpClientRequest.post(url).pipe(
            HttpClientRequest.setHeaders({
              accept,
              ...(version === undefined ? {} : { "mcp-protocol-version": version }),
              ...(isModern ? Headers.routing(message, schema) : {})
            }),
            HttpClientRequest.bodyText(text, "application/json")
          )
        )
        if (response.status === 404 && connection.session !== undefined && method !== "initialize")
          return yield* HttpError.sessionEnded
        if (response.status >= 300) {
          const body = yield* Effect.orElseSucceed(HttpResponse.bodyOf(response, url), () => "")
          const answer = id === undefined ? undefined : HttpResponse.errorIn(body, id)
          if (answer !== undefined) return yield* receive(Result.succeed(answer))
          return yield* HttpError.status(response.status, body, response.headers["retry-after"])
        }
        if (!isModern) connection.session = response.headers["mcp-session-id"] ?? connection.session
        if (id === undefined) return
        if (response.status === 202 || response.status === 204)
          return yield* broken("no answer to a request", `${place}, HTTP ${response.status}`, "")
        return yield* readAnswer(response, place, id)
      }).pipe(Effect.scoped)

    /** Reads the stream of the server's own messages, if the server offers one. */
    const ownStream = Effect.gen(function* () {
      const empty = yield* Allowance.make(HttpResponse.maxEmpty)
      let resume: HttpResponse.Resume = { id: undefined, pause: 1_000 }
      while (true) {
        const from: HttpResponse.Resume = resume
        const next = yield* Effect.gen(function* () {
          const response = yield* listenAt(from)
          if (response.status !== 200 || HttpResponse.mediaType(response) !== "text/event-stream")
            return response.status >= 500 ? from : undefined
          return yield* events(response, "server's own stream", undefined, from, empty)
        }).pipe(
          Effect.scoped,
          Effect.catch((error) =>
            Effect.succeed(["broken_message", "too_large"].includes(error.reason) ? undefined : from)
          )
        )
        if (next === undefined) return
        resume = { ...next, pause: Math.min(maxPauseMillis, Math.max(1_000, next.pause)) }
        yield* Effect.sleep(resume.pause)
      }
    })

    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        end(gone("The connection was closed."))
        yield* Fiber.interruptAll([...fibers.values()])
        if (connection.session === undefined) return
        yield* execute(HttpClientRequest.delete(url)).pipe(
          Effect.scoped,
          Effect.timeoutOption(closeTimeout),
          Effect.ignore
        )
      })
    )
    return {
      post: (message, lost) => {
        if (ended !== undefined) return lost(ended)
        if (message.id === undefined && unsent >= maxUnsent) {
          const error = gone(`The server does not respond: ${unsent} messages wait for it.`)
          end(error)
          lost(error)
          return
        }
        const place = `answer to request ${(posts += 1)}`
        const lose = (error: McpError) =>
          Effect.sync(() => {
            // the caller may send its next request before `lost` returns
            if (error === HttpError.sessionEnded) ended = error
            lost(error)
            if (error === HttpError.sessionEnded) end(gone(error.message))
          })
        const sending = Effect.andThen(previous, Effect.catch(send(message, place), lose))
        const fiber = fork(message.id ?? Symbol(place), sending)
        if (message.id !== undefined) return
        unsent += 1
        fiber.addObserver(() => {
          unsent -= 1
        })
        previous = Effect.asVoid(Fiber.await(fiber))
        if (message.method === "notifications/initialized") fork("own", Effect.andThen(previous, ownStream))
      },
      listen: (receiver) =>
        Effect.sync(() => {
          receive = receiver
        }),
      abandon: (id) => {
        const fiber = fibers.get(id)
        if (fiber !== undefined) fiber.interruptUnsafe()
      },
      room: Effect.suspend(() =>
        unsent < maxWaiting
          ? Effect.void
          : Effect.asVoid(Effect.repeat(Effect.sleep("10 millis"), { until: () => unsent < maxWaiting }))
      ),
      ended: Deferred.await(closed),
      end
    }
  })
