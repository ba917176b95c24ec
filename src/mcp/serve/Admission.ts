/** Decides which HTTP requests the server accepts: by host name and bearer token. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Caller from "./Caller.ts"
import type { Identity } from "./Sessions.ts"

export interface AdmissionOptions {
  /** Allowed host names (`Host`, without the port). Default: any. */
  readonly hosts?: ReadonlyArray<string> | undefined
  /**
   * Returns the identity of a bearer token, or undefined to refuse it. Default: all requests are accepted without an
   * identity.
   */
  readonly authenticate?: ((token: string) => Effect.Effect<Identity | undefined>) | undefined
}

/** Returns the host name of a `Host` header, without the port. */
const nameOf = (host: string | undefined): string => (host ?? "").replace(/:\d+$/, "").toLowerCase()

const unauthorized = HttpServerResponse.jsonUnsafe(
  { error: "A bearer token is required." },
  { status: 401, headers: { "www-authenticate": "Bearer" } }
)

/** The answer for another identity's session. It is the same as for a missing session, so that it reveals nothing. */
const unknownSession = HttpServerResponse.empty({ status: 404 })

/** The maximum size of a message, in bytes. */
const maxBytes = 16 * 1024 * 1024

const tooLarge = HttpServerResponse.jsonUnsafe({ error: "The message is too long." }, { status: 413 })

const misdirected = HttpServerResponse.jsonUnsafe(
  { error: "This server does not answer to that host name." },
  { status: 403 }
)

/**
 * Provides a middleware for the routes of a layer. The middleware does not inspect paths, because only the router
 * decides which route matches.
 */
export const layer = ({ authenticate, hosts }: AdmissionOptions): Layer.Layer<never> => {
  /** The identity that opened each session. No other identity may use the session or answer its questions. */
  const owners = new Map<string, string>()
  return HttpRouter.middleware((answer) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      if (hosts !== undefined && !hosts.includes(nameOf(request.headers["host"]))) return misdirected
      if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge
      if (authenticate === undefined) return yield* answer
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
      const identity = token === undefined ? undefined : yield* authenticate(token)
      if (identity === undefined) return unauthorized
      const caller = JSON.stringify([identity.tenant, identity.principal])
      const session = request.headers["mcp-session-id"]
      const owner = session === undefined ? caller : (owners.get(session) ?? caller)
      if (owner !== caller) return unknownSession
      Caller.identify(request, identity)
      const response = yield* answer
      if (session === undefined || response.status === 404) return response
      if (request.method === "DELETE") owners.delete(session)
      else owners.set(session, caller)
      return response
    }).pipe(Effect.provideService(MaxBodySize, ByteSize.fromInputUnsafe(maxBytes)))
  ).layer
}
