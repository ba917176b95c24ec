/** Identifies the caller of a request: the client's session and the identity of its credential. */
import { McpRequestContext } from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Identity } from "./Sessions.ts"

/** Identities by the platform's request object. */
const identities = new WeakMap<object, Identity>()

/** Records the identity of a request's credential. */
export const identify = ({ source }: HttpServerRequest, identity: Identity): void =>
  void identities.set(source, identity)

interface Caller {
  readonly session: string
  readonly identity: Identity | undefined
  readonly request: McpRequestContext["Service"]
}

/**
 * The caller of the current call. In protocols without sessions, clients with the same identity are the same caller.
 */
export const current: Effect.Effect<Caller, never, McpRequestContext> = Effect.map(
  Effect.context<McpRequestContext>(),
  (context) => {
    const request = Context.get(context, McpRequestContext)
    // over HTTP the context also has the request, which its type does not show
    const http = Context.getOrUndefined(
      context as Context.Context<McpRequestContext | HttpServerRequest>,
      HttpServerRequest
    )
    if (http === undefined) return { session: `connection ${request.clientId}`, identity: undefined, request }
    const id = http.headers["mcp-session-id"]
    const session = request.protocolVersion < "2026-07-28" && id !== undefined ? `session ${id}` : "no session"
    return { session, identity: identities.get(http.source), request }
  }
)
