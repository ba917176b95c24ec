/** `toolguard openapi serve`: serves a backend's tools over HTTP on this machine. */
import { draining, grace } from "#kit/cli/console/Grace"
import { load } from "#kit/cli/console/LoadBackend"
import * as LocalAccess from "#kit/cli/console/LocalAccess"
import { lineOf, problem } from "#kit/cli/console/Problem"
import * as ServerBounds from "#kit/cli/console/ServerBounds"
import { Guard } from "effect-toolguard/internal/guard/Guard"
import { refusal, respond } from "effect-toolguard/internal/openapi/ProblemBody"
import * as Routes from "effect-toolguard/internal/openapi/Routes"
import type * as Toolbox from "effect-toolguard/internal/tool/Toolbox"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const codes: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "unauthorized",
  408: "request_timeout",
  415: "unsupported_media_type",
  431: "headers_too_large",
  503: "overloaded"
}

const hints: Readonly<Record<number, string>> = {
  401: "Send the token of TOOLGUARD_OPENAPI_TOKEN.",
  415: "Send the arguments as application/json, uncompressed.",
  400: "Correct the request.",
  408: "Send the whole request at once.",
  431: "Send fewer and shorter headers, and a shorter URL.",
  503: "Send the request again later."
}

/** Creates the answer to a request that reaches no route. */
const refuse: LocalAccess.LocalAccessOptions["refuse"] = (status, message, headers) =>
  respond(
    refusal(
      status,
      codes[status] ?? "forbidden",
      message,
      hints[status] ?? "Start the server with --allow-host or --allow-origin."
    ),
    headers
  )

export const serve = Command.make(
  "serve",
  {
    backend: Argument.String("backend").pipe(
      Argument.withDescription("Module that exports `backend`. Default: the orders example"),
      Argument.optional
    ),
    port: Flag.Int("port").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
      Flag.withMetavar("<n>"),
      Flag.withDescription("Port on 127.0.0.1; 0 chooses a free port. Default: 8790"),
      Flag.withDefault(8_790)
    ),
    grace,
    ...ServerBounds.flags,
    allowOrigin: Flag.String("allow-origin").pipe(
      Flag.withMetavar("<origin>"),
      Flag.withDescription("Full origin of web pages that may call the tools; repeatable. Default: none"),
      Flag.atLeast(0)
    ),
    allowHost: Flag.String("allow-host").pipe(
      Flag.withMetavar("<name>"),
      Flag.withDescription("Additional host name to accept, for example of a reverse proxy; repeatable"),
      Flag.atLeast(0)
    )
  },
  Effect.fnUntraced(function* (options) {
    const backend = yield* load(Option.getOrUndefined(options.backend), {})
    const token = yield* LocalAccess.tokenOf("TOOLGUARD_OPENAPI_TOKEN")
    // an HTTP client is the only service that a backend's layer may require
    const services = (backend.layer as unknown as Layer.Layer<never, unknown>).pipe(
      Layer.provideMerge(Guard.layerMemory),
      Layer.provide(FetchHttpClient.layer),
      Layer.catchCause((cause) =>
        Layer.effectDiscard(
          Effect.fail(
            problem(
              `The layer of ${backend.name} cannot be built: ${lineOf(Cause.squash(cause))}`,
              "Correct it, and run the command again."
            )
          )
        )
      )
    )
    // the type of a loaded module is unknown; `load` has checked that its tools are a toolbox
    const tools = backend.tools as unknown as Toolbox.Toolbox<AnyTool>
    // the layer of the backend provides the services of the tools
    const routes = Routes.layer(tools, { title: backend.name }) as Layer.Layer<never, never, HttpRouter.HttpRouter>
    const unavailable = problem(
      `Port ${options.port} cannot be opened.`,
      "Another program may be using it. Choose another port with --port."
    )
    const access = { hosts: options.allowHost, origins: options.allowOrigin, token, refuse }
    const serving = HttpRouter.serve(Layer.merge(Layer.provide(routes, services), LocalAccess.layer(access)), {
      disableListenLog: true,
      disableLogger: true
    }).pipe(
      Layer.provideMerge(
        NodeHttpServer.layer(ServerBounds.server(options, refuse), { port: options.port, host: "127.0.0.1" })
      ),
      Layer.catchTag("ServeError", () => Layer.effect(HttpServer.HttpServer, Effect.fail(unavailable)))
    )
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const { address } = Context.get(yield* Layer.build(serving), HttpServer.HttpServer)
        const port = address._tag === "UnixPathAddress" ? options.port : address.port
        const tokenNote = token === undefined ? "" : " A bearer token is required."
        yield* Console.log(
          `Serving ${tools.names.length} tools at http://127.0.0.1:${port}/tools/, with an OpenAPI document at http://127.0.0.1:${port}/openapi.json.${tokenNote} Press Ctrl-C to stop.`
        )
        return yield* Effect.never
      })
    )
  }, draining)
).pipe(
  Command.withShortDescription("Serve a backend's tools over HTTP on this machine"),
  Command.withDescription(`Serves a backend's tools on 127.0.0.1: POST /tools/NAME, with an OpenAPI document at
  /openapi.json.

  Every call passes through the guard. A call that needs approval is refused (409), because no
  person can be asked. Clients must send the bearer token in TOOLGUARD_OPENAPI_TOKEN, even for the
  document. If the variable is not set, every program on this machine may call the tools. Other
  hosts and web pages are refused, except with --allow-host and --allow-origin.

  On SIGTERM or SIGINT, new calls are refused (503), and running ones have 30 seconds (--grace)
  to finish. A second signal ends the process at once. The exit code is 130.

  A backend is a module: export const backend = Backend.make({ name, tools, layer, prompt })`),
  Command.withExamples([
    { command: "toolguard openapi serve", description: "Serve the example on port 8790" },
    { command: "toolguard openapi serve ./backend.ts --port 8080", description: "Serve your tools" }
  ])
)
