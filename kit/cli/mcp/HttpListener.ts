/** Serves MCP clients over HTTP on 127.0.0.1 until the command is interrupted. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { HttpClientTransport } from "#kit/proxy/HttpClientTransport"
import * as HttpRoutes from "#kit/proxy/HttpRoutes"
import * as HttpSessions from "#kit/proxy/HttpSessions"
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import { unguessableId } from "effect-toolguard/services/Unguessable"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as LocalAccess from "#kit/cli/console/LocalAccess"
import { type Problem, problem } from "#kit/cli/console/Problem"
import * as ServerBounds from "#kit/cli/console/ServerBounds"

interface HttpListenerOptions<R> {
  readonly bounds: ServerBounds.ServerBounds
  readonly port: number
  readonly origins: ReadonlyArray<string>
  readonly hosts: ReadonlyArray<string>
  /** The maximum number of characters that a stream holds for a client that reads slowly. */
  readonly buffer: number
  readonly onSlow: () => void
  /** The maximum number of sessions. */
  readonly maxSessions: number
  /** Runs the session of a client. */
  readonly run: (client: HttpClientTransport, conversation: string) => Effect.Effect<never, McpError, R | Scope.Scope>
}

const path = "/mcp"

/** Serves each client in a separate session. */
export const serve = <R>({
  bounds,
  buffer,
  hosts,
  maxSessions,
  onSlow,
  origins,
  port,
  run
}: HttpListenerOptions<R>): Effect.Effect<never, Problem, R | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const sessions = yield* HttpSessions.make(
      (client, conversation) =>
        // the services of the command, with the scope of the session
        Effect.updateContext(run(client, conversation), (session: Context.Context<Scope.Scope>) =>
          Context.merge<R, Scope.Scope>(context, session)
        ),
      unguessableId,
      { buffer, maxSessions, onSlow }
    )
    const token = yield* LocalAccess.tokenOf("TOOLGUARD_MCP_TOKEN")
    const access = { hosts, origins, token, refuse: HttpRoutes.refuse, exposedHeaders: ["mcp-session-id"] }
    const routes = Layer.merge(HttpRoutes.make({ sessions, path }), LocalAccess.layer(access))
    const unavailable = problem(
      `Port ${port} cannot be opened.`,
      "Another program may be using it. Choose another port with --listen."
    )
    const served = HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
      Layer.provideMerge(
        NodeHttpServer.layer(ServerBounds.server(bounds, HttpRoutes.refuse), {
          port,
          host: "127.0.0.1",
          gracefulShutdownTimeout: "1 second"
        })
      ),
      Layer.catchTag("ServeError", () => Layer.effect(HttpServer.HttpServer, Effect.fail(unavailable)))
    )
    const { address } = Context.get(yield* Layer.build(served), HttpServer.HttpServer)
    const actual = address._tag === "UnixPathAddress" ? port : address.port
    const tokenNote = token === undefined ? "" : " A bearer token is required."
    yield* Console.log(`Serving MCP at http://127.0.0.1:${actual}${path}.${tokenNote} Press Ctrl-C to stop.`)
    return yield* Effect.never
  })
