/** `toolguard mcp serve`: serves a backend's tools over MCP, by stdio or by HTTP on this machine. */
import { draining, grace } from "#kit/cli/console/Grace"
import { load } from "#kit/cli/console/LoadBackend"
import * as LocalAccess from "#kit/cli/console/LocalAccess"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as ServerBounds from "#kit/cli/console/ServerBounds"
import * as HttpRoutes from "#kit/proxy/HttpRoutes"
import { version } from "#kit/Version"
import type { Guard } from "effect-toolguard/internal/guard/Guard"
import * as McpServe from "effect-toolguard/internal/mcp/serve/McpServe"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import { createHash, timingSafeEqual } from "node:crypto"
import * as ServedBackend from "./ServedBackend.ts"

const loopback = ["127.0.0.1", "localhost", "[::1]"]

const flags = {
  backend: Argument.String("backend").pipe(
    Argument.withDescription("Module that exports `backend`. Default: the orders example"),
    Argument.optional
  ),
  http: Flag.Int("http").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
    Flag.withMetavar("<port>"),
    Flag.withDescription("Serve HTTP on this port of 127.0.0.1 instead of stdio; 0 chooses a free port"),
    Flag.optional
  ),
  path: Flag.String("path").pipe(
    Flag.withMetavar("<path>"),
    Flag.withDescription("Path of the HTTP endpoint. Default: /mcp"),
    Flag.withDefault("/mcp")
  ),
  allowOrigin: Flag.String("allow-origin").pipe(
    Flag.withMetavar("<origin>"),
    Flag.withDescription("Origin of web pages that may call the tools; repeatable. Default: none"),
    Flag.atLeast(0)
  ),
  allowHost: Flag.String("allow-host").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription("Additional host name to accept, for example of a reverse proxy; repeatable"),
    Flag.atLeast(0)
  ),
  silence: Flag.Int("silence").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
    Flag.withMetavar("<minutes>"),
    Flag.withDescription("Minutes without a call after which budgets are reset. Default: 10"),
    Flag.withDefault(10)
  ),
  grace,
  ...ServerBounds.flags,
  elicit: Flag.Boolean("elicit").pipe(
    Flag.withDescription("Ask the client's user for approvals if possible (--no-elicit: never). Default: true"),
    Flag.withDefault(true)
  )
}

const description = `Serves a backend's tools as an MCP server: over standard input and output, or
  with --http over streamable HTTP on 127.0.0.1.

  Every call passes through the guard. A client's session is one turn: its calls share budgets.
  Approvals are requested from the client's user if the client supports elicitation, otherwise
  from the backend's Escalation. Without either, calls that need approval are refused.

  Over HTTP, clients must send the bearer token in TOOLGUARD_MCP_TOKEN. If it is not set,
  every program on this machine may call the tools.

  On SIGTERM or SIGINT, new calls are refused, and running ones have 30 seconds (--grace) to
  finish. A second signal ends the process at once. The exit code is 130.

  A backend is a module: export const backend = Backend.make({ name, tools, layer, prompt })
  Its layer may also provide an Escalation, or a Guard, such as one with a database.`

/** Redirects the console to standard error, because standard output carries the protocol. */
const redirectConsole = Effect.sync(() => {
  const { error } = globalThis.console
  for (const method of ["log", "info", "debug", "table", "dir"] as const) globalThis.console[method] = error
})

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const authenticating = (token: string | undefined): Pick<McpServe.HttpOptions, "authenticate"> => {
  if (token === undefined) return {}
  const expected = digest(token)
  return {
    authenticate: (sent) =>
      Effect.succeed(timingSafeEqual(digest(sent), expected) ? { principal: "bearer" } : undefined)
  }
}

/** The time for calls to finish after the client has closed standard input. */
const inputGracePeriod = "5 seconds"

/** The time for writing answers when the command is stopped. */
const outputGracePeriod = "200 millis"

const inputEnded = Effect.callback<void>((resume) => {
  process.stdin.once("end", () => resume(Effect.void))
})

/**
 * Serves until standard input ends. The transport then interrupts the server, which does not count as an interrupted
 * command.
 */
const untilEnd = <R>(server: Layer.Layer<never, Problem, R>): Effect.Effect<void, Problem, R> =>
  Effect.gen(function* () {
    const serving = yield* Effect.forkChild(Layer.launch(server))
    const shutdown = Effect.andThen(
      inputEnded,
      Effect.andThen(Effect.sleep(inputGracePeriod), Fiber.interrupt(serving))
    )
    yield* Effect.forkChild(shutdown)
    // calls have ended when the command is interrupted; their answers may still have to be written
    const exit = yield* Effect.onInterrupt(Fiber.await(serving), () => Effect.sleep(outputGracePeriod))
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  })

/** The time for HTTP requests to finish when the command is stopped. */
const httpGracePeriod = "3 seconds"

/** Serves routes on 127.0.0.1 until the scope closes, and returns the port. */
const onLoopback = <E, R>(port: number, routes: Layer.Layer<never, E, R>, bounds: ServerBounds.ServerBounds) => {
  const unavailable = problem(
    `Port ${port} cannot be opened.`,
    "Another program may be using it. Choose another port with --http."
  )
  const serving = HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(ServerBounds.server(bounds, HttpRoutes.refuse), {
        port,
        host: "127.0.0.1",
        gracefulShutdownTimeout: httpGracePeriod
      })
    ),
    Layer.catchTag("ServeError", () => Layer.effect(HttpServer.HttpServer, Effect.fail(unavailable)))
  )
  return Effect.map(Layer.build(serving), (context) => {
    const { address } = Context.get(context, HttpServer.HttpServer)
    return address._tag === "UnixPathAddress" ? port : address.port
  })
}

export const serve = Command.make(
  "serve",
  flags,
  Effect.fnUntraced(function* (options) {
    const port = Option.getOrUndefined(options.http)
    if (!/^\/[\w./-]*$/.test(options.path))
      return yield* misuse(`--path ${options.path} is not a path.`, "Write a path such as /mcp.")
    if (port === undefined) yield* redirectConsole
    const backend = yield* load(Option.getOrUndefined(options.backend), {})
    const tools = ServedBackend.tools(backend)
    const serverOptions = { name: backend.name, version, silence: `${options.silence} minutes` as const }
    const services = ServedBackend.services(backend, options.elicit)
    const overStdio: Layer.Layer<never, never, Guard | Stdio.Stdio> = McpServe.layerStdio(tools, serverOptions)
    if (port === undefined) return yield* untilEnd(Layer.provide(overStdio, services))
    const token = yield* LocalAccess.tokenOf("TOOLGUARD_MCP_TOKEN")
    const access = LocalAccess.layer({
      hosts: options.allowHost,
      origins: options.allowOrigin,
      token,
      refuse: HttpRoutes.refuse,
      exposedHeaders: ["mcp-session-id"]
    })
    const routes: Layer.Layer<never, never, Guard | HttpRouter.HttpRouter> = McpServe.layerHttp(tools, {
      ...serverOptions,
      ...authenticating(token),
      // the expression above has checked that it begins with a slash
      path: options.path as `/${string}`,
      hosts: [...loopback, ...options.allowHost],
      allowedOrigins: options.allowOrigin
    })
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const actual = yield* onLoopback(port, Layer.merge(Layer.provide(routes, services), access), options)
        const tokenNote = token === undefined ? "" : " A bearer token is required."
        yield* Console.log(
          `Serving MCP at http://127.0.0.1:${actual}${options.path}.${tokenNote} Press Ctrl-C to stop.`
        )
        return yield* Effect.never
      })
    )
  }, draining)
).pipe(
  Command.withShortDescription("Serve a backend's tools as an MCP server"),
  Command.withDescription(description),
  Command.withExamples([
    { command: "toolguard mcp serve", description: "Serve the example over standard input and output" },
    { command: "toolguard mcp serve ./backend.ts --http 8789", description: "Serve your tools over HTTP" }
  ])
)
