/**
 * Serves the proxy over streamable HTTP, for clients on this machine.
 *
 * **Details**
 *
 * - The caller decides which hosts, origins and tokens are accepted, before a request reaches these routes.
 * - Answers are event streams. The header `mcp-session-id` names a session, and DELETE ends it.
 */
import { Drain } from "effect-toolguard/services/Drain"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Headers from "effect-toolguard/internal/mcp/wire/Headers"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import * as MessageId from "effect-toolguard/internal/mcp/wire/MessageId"
import * as Version from "effect-toolguard/internal/mcp/wire/Version"
import { type Answers, ended, messagesOf } from "./HttpClientTransport.ts"
import type { Session, Sessions } from "./HttpSessions.ts"
import * as Relay from "./Relay.ts"

/** The options of the routes. */
interface RoutesOptions {
  readonly sessions: Sessions
  /** The path of the routes, such as `/mcp`. */
  readonly path: `/${string}`
}

type Response = HttpServerResponse.HttpServerResponse

const largestBytes = 16 * 1024 * 1024
const maxBodySize = ByteSize.bytes(largestBytes)

const tooLarge = "The message is larger than 16 MiB."

/** Creates the answer to a request that is refused. */
export const refuse = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response =>
  HttpServerResponse.text(Message.refusal(null, -32_600, message), {
    status,
    contentType: "application/json",
    headers
  })

const tooManySessions = refuse(
  503,
  "There are too many sessions (--max-sessions), and each has a request in progress. Try again later.",
  { "retry-after": "5" }
)

const encoder = new TextEncoder()

const streamOf = (
  answers: Answers,
  left: Effect.Effect<void>,
  headers: Record<string, string>,
  write: (text: string) => string = (text) => text
): Response =>
  HttpServerResponse.stream(
    messagesOf(answers).pipe(
      Stream.map((text) =>
        encoder.encode(Sse.encoder.write({ _tag: "Event", event: "message", id: undefined, data: write(text) }))
      ),
      Stream.ensuring(left)
    ),
    { contentType: "text/event-stream", headers: { "cache-control": "no-store", ...headers } }
  )

/** Creates the routes POST, GET and DELETE of the proxy. */
export const make = ({ path, sessions }: RoutesOptions): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const found = ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<Session | Response> => {
    const id = headers["mcp-session-id"]
    if (id === undefined) return Effect.succeed(refuse(400, "The header mcp-session-id is missing."))
    return Effect.map(
      sessions.find(id),
      (session) => session ?? refuse(404, "The session does not exist, or has ended.")
    )
  }

  const post = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response> =>
    Effect.gen(function* () {
      if (Number(request.headers["content-length"] ?? 0) > largestBytes) return refuse(413, tooLarge)
      const text = yield* Effect.result(
        Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, maxBodySize)
      )
      if (Result.isFailure(text))
        return isTooLarge(text.failure)
          ? refuse(413, tooLarge)
          : refuse(400, "The message could not be read completely.")
      const messages = Message.read(text.success, "request")
      const [read] = messages
      if (read === undefined || Result.isFailure(read))
        return refuse(400, read?.failure.message ?? "The body contains no message.")
      if (messages.length > 1) return refuse(400, "Send one message per request.")
      const message = read.success
      const isStateless = message._tag !== "Response" && Headers.versionOf(message.params) === Version.stateless
      if (isStateless) {
        const session = yield* sessions.shared
        if (session === undefined) return tooManySessions
        if (message._tag !== "Request") {
          yield* session.client.tell(message)
          return HttpServerResponse.empty({ status: 202 })
        }
        const own = sessions.withNewId(message)
        const answers = yield* session.client.ask(own)
        // a stateless client that disconnects cancels its request
        const cancel = Message.read(Message.notification("notifications/cancelled", { requestId: own.id }), "cancel")
        const left = Effect.andThen(
          Effect.forEach(cancel, (one) =>
            Result.isSuccess(one) && one.success._tag === "Notification"
              ? session.client.tell(one.success)
              : Effect.void
          ),
          session.client.remove(own.id, answers)
        )
        return streamOf(answers, left, {}, (text) => restored(text, own.id, message))
      }
      const isNew = message._tag === "Request" && message.method === "initialize"
      if (isNew && (yield* Drain)?.isDraining() === true)
        return refuse(503, "The proxy is shutting down.", { "retry-after": "1" })
      const session = isNew ? yield* sessions.open : yield* found(request)
      if (session === undefined) return tooManySessions
      if (HttpServerResponse.isHttpServerResponse(session)) return session
      if (message._tag !== "Request") {
        yield* session.client.tell(message)
        return HttpServerResponse.empty({ status: 202 })
      }
      const answers = yield* session.client.ask(message)
      return streamOf(answers, session.client.remove(message.id, answers), { "mcp-session-id": session.id })
    })
  const get = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response> =>
    Effect.flatMap(found(request), (session) =>
      HttpServerResponse.isHttpServerResponse(session)
        ? Effect.succeed(session)
        : Effect.map(session.client.open, (answers) => streamOf(answers, Effect.void, {}))
    )
  const end = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response> =>
    Effect.flatMap(found(request), (session) =>
      HttpServerResponse.isHttpServerResponse(session)
        ? Effect.succeed(session)
        : Effect.as(session.end(ended), HttpServerResponse.empty({ status: 204 }))
    )
  return HttpRouter.addAll([
    HttpRouter.route("POST", path, post),
    HttpRouter.route("GET", path, get),
    HttpRouter.route("DELETE", path, end)
  ])
}

const isTooLarge = ({ reason }: HttpServerError): boolean =>
  // the platform's reason for a large body is not in the type
  reason._tag === "RequestParseError" && (reason as { readonly reason?: string }).reason === "BodyTooLarge"

/** Restores the client's own id in an answer, and the client's own token in a progress notification. */
const restored = (text: string, own: Message.Id, original: Message.Request): string => {
  const [read] = Message.read(text, "answer")
  const message = read === undefined ? undefined : Result.getOrUndefined(read)
  if (message?._tag === "Notification" && Relay.progressToken(message) === own)
    return JSON.stringify({ ...message.value, params: { ...message.params, progressToken: Relay.tokenOf(original) } })
  return message?._tag === "Response" && message.id === own
    ? (MessageId.withId(text, original.id) ?? JSON.stringify({ ...message.value, id: original.id }))
    : text
}
