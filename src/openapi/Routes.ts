/**
 * Serves a toolbox over HTTP: its tools, and its document at `/openapi.json`.
 *
 * **Details**
 *
 * - The handler of a tool is interrupted when the client disconnects.
 * - Errors below `/tools/` are problems: an unknown name returns 404 with the nearest names, and a method other than
 *   POST returns 405 with `Allow`.
 * - If `identify` is set, the document and the names of the tools are only for clients that it accepts; others get 401.
 *   `openDocument` serves the document to all clients.
 *
 * **Gotchas**
 *
 * Without `identify`, every client that reaches the port may call the tools and read the document. Clients choose the ids
 * of conversations and turns, which are separated by tenant and principal.
 */
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import { type Guard, GuardedTurn } from "#src/guard/Guard"
import type { Toolbox } from "#src/tool/Toolbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Etag from "effect/http/Etag"
import type * as HttpPlatform from "effect/http/HttpPlatform"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { call, type CallOptions, identityOf, unidentified } from "./CallRoute.ts"
import { refusal, respond } from "./ProblemBody.ts"
import { api, type ApiOptions } from "./ToolApi.ts"
import { folder } from "./ToolPath.ts"
import * as Turns from "./Turns.ts"

export interface ServeOptions extends ApiOptions, CallOptions {
  /**
   * True serves the document, which names and describes every tool, even to clients that `identify` refuses. Default
   * false: they get 401. Without `identify`, all clients may read the document.
   */
  readonly openDocument?: boolean
}

/** The platform services that an HTTP router requires. */
type Platform = Etag.Generator | FileSystem.FileSystem | HttpPlatform.HttpPlatform | Path.Path

/** Adds the routes of a toolbox to your router. */
export const layer = <Tools extends AnyTool>(
  toolbox: Toolbox<Tools>,
  options: ServeOptions = {}
): Layer.Layer<never, never, HttpRouter.HttpRouter | Guard | RequirementsOf<Tools> | Platform> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const services = yield* Effect.context<Guard | RequirementsOf<Tools>>()
      yield* (yield* GuardedTurn).admit(toolbox.tools.values())
      const turns = yield* Turns.make
      const answer = call(toolbox.tools, turns, options)
      // the context of the request, which has the span and the turn, takes precedence
      const answerCall = (
        name: string,
        request: HttpServerRequest
      ): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
        Effect.updateContext(answer(name, request), (context: Context.Context<never>) =>
          Context.merge(services, context)
        )
      const toolApi = api(toolbox, options)
      // handlers are typed by endpoint name, and these names are known only at run time
      const group = HttpApiBuilder.group(toolApi, "tools", ((handlers: Handlers) =>
        [...toolbox.tools.keys()].reduce(
          (handlers, name) => handlers.handleRaw(name, ({ request }) => answerCall(name, request)),
          handlers
        )) as never)
      const document = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(toolApi))))
      const documentOptions = options.openDocument === true ? {} : options
      return Layer.mergeAll(
        HttpApiBuilder.layer(toolApi).pipe(Layer.provide(group)),
        HttpRouter.add("GET", "/openapi.json", (request) => ifIdentified(documentOptions, request, document)),
        HttpRouter.add("*", `${folder}*`, (request) =>
          request.method === "POST"
            ? answerCall(nameIn(request.url), request)
            : ifIdentified(options, request, Effect.succeed(notCalled(toolbox.tools, request)))
        )
      )
    })
    // TypeScript does not resolve the conditional requirements of tools that are a type parameter
  ) as never

interface Handlers {
  handleRaw(
    name: string,
    handler: (input: { readonly request: HttpServerRequest }) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  ): Handlers
}

/** Answers a request if `identify` accepts its client, and with 401 otherwise. */
const ifIdentified = (
  options: Pick<CallOptions, "identify">,
  request: HttpServerRequest,
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.flatMap(identityOf(options, request), (identity) =>
    identity === undefined ? Effect.succeed(unidentified) : answer
  )

/** Answers a request below the tools' path whose method does not call a tool. */
const notCalled = (
  tools: ReadonlyMap<string, unknown>,
  request: HttpServerRequest
): HttpServerResponse.HttpServerResponse => {
  const name = nameIn(request.url)
  if (!tools.has(name) && name !== "") {
    return respond(refusal(404, "unknown_tool", "No tool has this name.", "GET /openapi.json lists the tools."))
  }
  return respond(refusal(405, "method_not_allowed", `${request.method} does not call a tool.`, "Call it with POST."), {
    allow: "POST"
  })
}

/** Returns the tool name in a URL, at most 200 characters. */
const nameIn = (url: string): string => {
  const path = url.split(/[?#]/u)[0] ?? ""
  const name = path.slice(path.indexOf(folder) + folder.length).slice(0, 200)
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
