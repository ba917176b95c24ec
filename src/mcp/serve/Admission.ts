/** Who may speak to the server over HTTP: by the name that it is called by, and by a bearer token. */
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
  /** Names by which the server may be called (`Host`, without the port). Default: any. */
  readonly hosts?: ReadonlyArray<string> | undefined
  /** Whom a bearer token names; undefined refuses. Default: everybody is let in, nobody is named. */
  readonly authenticate?: ((token: string) => Effect.Effect<Identity | undefined>) | undefined
}

const nameOf = (host: string | undefined): string => (host ?? "").replace(/:\d+$/, "").toLowerCase()

const unauthorized = HttpServerResponse.jsonUnsafe(
  { error: "A bearer token is needed." },
  { status: 401, headers: { "www-authenticate": "Bearer" } }
)

/** As of a session that there is not: whose it is, is nobody's business. */
const unknownSession = HttpServerResponse.empty({ status: 404 })

/** Most bytes of a message. */
const longest = 16 * 1024 * 1024

const tooLarge = HttpServerResponse.jsonUnsafe({ error: "The message is too long." }, { status: 413 })

const misdirected = HttpServerResponse.jsonUnsafe({ error: "This server is not called by that name." }, { status: 403 })

/**
 * Stands before the routes of the layer that it is provided to, however an address writes their path: which route is meant the
 * router alone decides.
 */
export const layer = ({ authenticate, hosts }: AdmissionOptions): Layer.Layer<never> => {
  /** Who spoke first in a session: nobody else may, or answer what its user is asked. Those that do not exist are none here. */
  const owners = new Map<string, string>()
  return HttpRouter.middleware((answer) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      if (hosts !== undefined && !hosts.includes(nameOf(request.headers["host"]))) return misdirected
      if (Number(request.headers["content-length"] ?? 0) > longest) return tooLarge
      if (authenticate === undefined) return yield* answer
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
      const identity = token === undefined ? undefined : yield* authenticate(token)
      if (identity === undefined) return unauthorized
      const whom = JSON.stringify([identity.tenant, identity.principal])
      const session = request.headers["mcp-session-id"]
      const owner = session === undefined ? whom : (owners.get(session) ?? whom)
      if (owner !== whom) return unknownSession
      Caller.identify(request, identity)
      const response = yield* answer
      if (session === undefined || response.status === 404) return response
      if (request.method === "DELETE") owners.delete(session)
      else owners.set(session, whom)
      return response
    }).pipe(Effect.provideService(MaxBodySize, ByteSize.fromInputUnsafe(longest)))
  ).layer
}
