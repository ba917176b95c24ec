/** Decides which HTTP requests the server accepts: by host name, size, bearer token and the owner of the session. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import { isAccepted } from "#domain/http/AcceptedHost"
import * as Caller from "./Caller.ts"
import type { SessionEnd } from "./SessionEnd.ts"
import * as SessionOwners from "./SessionOwners.ts"
import type { Identity } from "./Sessions.ts"

export interface AdmissionOptions {
  /**
   * Allowed host names (`Host`, without the port). Default: the names of this machine for requests from this machine,
   * and any name for other requests.
   */
  readonly hosts?: ReadonlyArray<string> | undefined
  /**
   * Returns the identity of a bearer token, or undefined to refuse it. Default: all requests are accepted without an
   * identity.
   */
  readonly authenticate?: ((token: string) => Effect.Effect<Identity | undefined>) | undefined
}

const unauthorized = HttpServerResponse.jsonUnsafe(
  { error: "A bearer token is required." },
  { status: 401, headers: { "www-authenticate": "Bearer" } }
)

/** The answer for another identity's session. It is the same as for a missing session, so that it reveals nothing. */
const unknownSession = HttpServerResponse.empty({ status: 404 })

/** True if a request uses a protocol version without sessions. */
const isSessionless = ({ headers, method }: HttpServerRequest): boolean =>
  method === "POST" && (headers["mcp-protocol-version"] ?? "") >= "2026-07-28"

/** The maximum size of a message, in bytes. */
const maxBytes = 16 * 1024 * 1024

/**
 * The maximum size of a message without a session, such as `initialize`, in bytes. The server keeps `initialize` as
 * long as its session.
 */
const maxOpeningBytes = 64 * 1024

const tooLarge = HttpServerResponse.jsonUnsafe({ error: "The message is too long." }, { status: 413 })

const misdirected = HttpServerResponse.jsonUnsafe(
  { error: "This server does not answer to that host name. Its option `hosts` allows it." },
  { status: 403 }
)

const unreadable = HttpServerResponse.jsonUnsafe(
  { error: "The message could not be read completely." },
  { status: 400 }
)

const compressed = HttpServerResponse.jsonUnsafe(
  { error: "The body is compressed. Send it uncompressed." },
  { status: 415 }
)

/** The sentences of refusals that Effect's server sends without a body. */
const refusals: Readonly<Record<number, string>> = {
  403: "This origin is not allowed. The option `allowedOrigins` allows it.",
  405: "This server takes POST requests, and DELETE to end a session.",
  406: "The header Accept must name application/json and text/event-stream.",
  415: "The content type is not application/json."
}

/** Adds a sentence to a refusal without a body. */
const withSentence = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const error = refusals[response.status]
  return error === undefined || response.body._tag !== "Empty"
    ? response
    : HttpServerResponse.jsonUnsafe({ error }, { status: response.status, headers: response.headers })
}

/**
 * Reads the body of a POST, which the request keeps. Returns the refusal of a body that is too large, or incomplete.
 */
const bodyProblem = (request: HttpServerRequest): Effect.Effect<HttpServerResponse.HttpServerResponse | undefined> =>
  request.method === "POST"
    ? Effect.match(request.text, {
        onSuccess: () => undefined,
        onFailure: ({ reason }) =>
          // the platform's reason for a large body is not in the type
          reason._tag === "RequestParseError" && (reason as { readonly reason?: string }).reason === "BodyTooLarge"
            ? tooLarge
            : unreadable
      })
    : Effect.undefined

/**
 * Provides a middleware for the routes of a layer. The middleware does not inspect paths, because only the router
 * decides which route matches.
 */
export const layer = (
  { authenticate, hosts }: AdmissionOptions,
  { end }: Pick<SessionEnd, "end">
): Layer.Layer<never> => {
  const owners = SessionOwners.make()
  return HttpRouter.middleware((answer) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      if (!isAccepted(request, hosts)) return misdirected
      const session = request.headers["mcp-session-id"]
      const most = session === undefined && !isSessionless(request) ? maxOpeningBytes : maxBytes
      if (Number(request.headers["content-length"] ?? 0) > most) return tooLarge
      let caller = "anyone"
      if (authenticate !== undefined) {
        const [, token] = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
        const identity = token === undefined ? undefined : yield* authenticate(token)
        if (identity === undefined) return unauthorized
        caller = JSON.stringify([identity.tenant, identity.principal])
        Caller.identify(request, identity)
      }
      // protocols without sessions ignore the id
      if (session !== undefined && (owners.find(session) ?? (isSessionless(request) ? caller : undefined)) !== caller)
        return unknownSession
      if ((request.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") return compressed
      const problem = yield* Effect.provideService(bodyProblem(request), MaxBodySize, ByteSize.fromInputUnsafe(most))
      if (problem !== undefined) return problem
      const response = withSentence(yield* answer)
      const isEnded = response.status === 404 || (request.method === "DELETE" && response.status === 204)
      // the server adds the id of a new session after all middlewares, by a handler that runs before this one
      yield* HttpEffect.appendPreResponseHandler((_, sent) => {
        const opened = sent.headers["mcp-session-id"]
        const oldest = opened === undefined || opened === session ? undefined : owners.open(opened, caller)
        return Effect.as(oldest === undefined ? Effect.void : end(oldest, request), sent)
      })
      if (session !== undefined && isEnded) owners.close(session)
      return response
    })
  ).layer
}
