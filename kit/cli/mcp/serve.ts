/** `toolguard mcp serve`: a backend's tools as an MCP server, over stdio or HTTP on this machine. */
import { load } from "#kit/cli/console/LoadBackend"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { version } from "#kit/Version"
import type { Guard } from "effect-toolguard/internal/guard/Guard"
import * as McpServe from "effect-toolguard/internal/mcp/serve/McpServe"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
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
import { createServer } from "node:http"
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
    Flag.withDescription("Serve HTTP on this port of 127.0.0.1 instead of stdio; 0 takes a free one"),
    Flag.optional
  ),
  path: Flag.String("path").pipe(
    Flag.withMetavar("<path>"),
    Flag.withDescription("Where it is served over HTTP. Default: /mcp"),
    Flag.withDefault("/mcp")
  ),
  allowOrigin: Flag.String("allow-origin").pipe(
    Flag.withMetavar("<origin>"),
    Flag.withDescription("A web page's origin that may speak to it; may be given more than once. Default: none"),
    Flag.atLeast(0)
  ),
  allowHost: Flag.String("allow-host").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription("A further name that it is called by, such as that of a proxy before it"),
    Flag.atLeast(0)
  ),
  silence: Flag.Int("silence").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
    Flag.withMetavar("<minutes>"),
    Flag.withDescription("Minutes without a call after which a client's budgets begin anew. Default: 10"),
    Flag.withDefault(10)
  ),
  elicit: Flag.Boolean("elicit").pipe(
    Flag.withDescription(
      "Ask the client's user for approvals where the client can; --no-elicit does not. Default: true"
    ),
    Flag.withDefault(true)
  )
}

const description = `Serves a backend's tools as an MCP server: over standard input and output, or
  with --http over streamable HTTP on 127.0.0.1.

  Every call passes the guard. A session of a client is a turn: its calls share budgets.
  A call that needs a person is asked of the client's user where the client can elicit;
  else of the backend's Escalation; where there is none nobody can be reached.

  Over HTTP, TOOLGUARD_MCP_TOKEN holds the bearer token that clients must send; without it
  every program on this machine may call the tools.

  A backend is a module: export const backend = Backend.make({ name, tools, layer, prompt })
  Its layer may provide an Escalation, which is asked where the client's user cannot be,
  or a Guard of its own, such as one with a database.`

/** What runs inside the tools must not write to where the protocol is spoken. */
const keepOutputClean = Effect.sync(() => {
  const { error } = globalThis.console
  for (const method of ["log", "info", "debug", "table", "dir"] as const) globalThis.console[method] = error
})

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const authenticating = (token: string | undefined): Pick<McpServe.HttpOptions, "authenticate"> => {
  if (token === undefined) return {}
  const expected = digest(token)
  return {
    authenticate: (given) =>
      Effect.succeed(timingSafeEqual(digest(given), expected) ? { principal: "bearer" } : undefined)
  }
}

/** How long calls may go on when the client has closed standard input. */
const grace = "5 seconds"

const inputEnded = Effect.callback<void>((resume) => {
  process.stdin.once("end", () => resume(Effect.void))
})

/** Serves until standard input ends: the transport then interrupts who serves, and that is no interruption of the command. */
const untilEnd = <R>(server: Layer.Layer<never, Problem, R>): Effect.Effect<void, Problem, R> =>
  Effect.gen(function* () {
    const serving = yield* Effect.forkChild(Layer.launch(server))
    const left = Effect.andThen(inputEnded, Effect.andThen(Effect.sleep(grace), Fiber.interrupt(serving)))
    yield* Effect.forkChild(left)
    const exit = yield* Fiber.await(serving)
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  })

/** How long calls may go on when the command is to end. */
const patience = "3 seconds"

/** Serves a router on this machine until the scope ends, and gives its port. */
const onLoopback = <E, R>(port: number, routes: Layer.Layer<never, E, R>) => {
  const taken = problem(`Port ${port} cannot be opened.`, "Another program may use it: choose another with --http.")
  const serving = HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(createServer, { port, host: "127.0.0.1", gracefulShutdownTimeout: patience })
    ),
    Layer.catchTag("ServeError", () => Layer.effect(HttpServer.HttpServer, Effect.fail(taken)))
  )
  return Effect.map(Layer.build(serving), (context) => {
    const { address } = Context.get(context, HttpServer.HttpServer)
    return address._tag === "UnixPathAddress" ? port : address.port
  })
}

export const serve = Command.make(
  "serve",
  flags,
  Effect.fnUntraced(function* (given) {
    const port = Option.getOrUndefined(given.http)
    if (!/^\/[\w./-]*$/.test(given.path)) return yield* misuse(`--path ${given.path} is no path.`, "Write it as /mcp.")
    if (port === undefined) yield* keepOutputClean
    const backend = yield* load(Option.getOrUndefined(given.backend), {})
    const tools = ServedBackend.tools(backend)
    const options = { name: backend.name, version, silence: `${given.silence} minutes` as const }
    const services = ServedBackend.services(backend, given.elicit)
    const overStdio: Layer.Layer<never, never, Guard | Stdio.Stdio> = McpServe.layerStdio(tools, options)
    if (port === undefined) return yield* untilEnd(Layer.provide(overStdio, services))
    const token = Option.getOrUndefined(
      yield* Effect.orDie(Config.option(Config.NonEmptyString("TOOLGUARD_MCP_TOKEN")))
    )
    const routes: Layer.Layer<never, never, Guard | HttpRouter.HttpRouter> = McpServe.layerHttp(tools, {
      ...options,
      ...authenticating(token),
      path: given.path as `/${string}`,
      hosts: [...loopback, ...given.allowHost],
      allowedOrigins: given.allowOrigin
    })
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const actual = yield* onLoopback(port, Layer.provide(routes, services))
        const needs = token === undefined ? "" : " A bearer token is needed."
        yield* Console.log(`Serving MCP at http://127.0.0.1:${actual}${given.path}.${needs} Ctrl-C ends it.`)
        return yield* Effect.never
      })
    )
  })
).pipe(
  Command.withShortDescription("Serve a backend's tools as an MCP server"),
  Command.withDescription(description),
  Command.withExamples([
    { command: "toolguard mcp serve", description: "The example's tools, over standard input and output" },
    { command: "toolguard mcp serve ./backend.ts --http 8789", description: "Tools of your own, over HTTP" }
  ])
)
