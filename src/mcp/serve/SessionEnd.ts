/**
 * Ends a session of Effect's MCP server from outside, by calling the handler that the server adds for DELETE, because
 * the server gives no other access to its sessions. The handler interrupts the requests of the session that are in
 * progress.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"

export interface SessionEnd {
  /** Ends a session because of a request. Nothing happens if no session has this id. */
  readonly end: (session: string, request: HttpServerRequest) => Effect.Effect<void>
  /** The router of the server, which adds its routes to the router of the application. */
  readonly router: Layer.Layer<HttpRouter.HttpRouter, never, HttpRouter.HttpRouter>
}

type Handler = (request: HttpServerRequest) => Effect.Effect<HttpServerResponse>

export const make = (): SessionEnd => {
  let handler: Handler | undefined
  return {
    end: (session, request) => {
      const headers = Headers.fromInput({ "mcp-session-id": session })
      return handler === undefined ? Effect.void : Effect.asVoid(handler(request.modify({ headers })))
    },
    router: Layer.effect(
      HttpRouter.HttpRouter,
      Effect.map(HttpRouter.HttpRouter, (router) => {
        const add: typeof router.add = (method, path, added, options) => {
          // the server adds DELETE with a function that neither fails nor requires services
          if (method === "DELETE" && typeof added === "function") handler = added as unknown as Handler
          return router.add(method, path, added, options)
        }
        return HttpRouter.HttpRouter.of({ ...router, add })
      })
    )
  }
}
