/**
 * Serves a toolbox over HTTP: its tools, and its document at `/openapi.json`.
 *
 * **Details**
 *
 * - The handler of a tool is interrupted when the client goes away.
 * - Below `/tools/` nothing is answered but by problems: a name that no tool has with the nearest ones (404), another method
 *   than POST with the one that is allowed (405).
 *
 * **Gotchas**
 *
 * Everybody who reaches the port may call the tools, until `identify` says who is who. Ids of conversations and turns come
 * from the client: they are told apart by tenant and principal.
 */
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import type { Guard } from "#src/guard/Guard"
import type { Toolbox } from "#src/tool/Toolbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Etag from "effect/http/Etag"
import type * as HttpPlatform from "effect/http/HttpPlatform"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { call, type CallOptions } from "./CallRoute.ts"
import { refusal, respond } from "./ProblemBody.ts"
import { api, type ApiOptions } from "./ToolApi.ts"
import { folder } from "./ToolPath.ts"
import * as Turns from "./Turns.ts"

export interface ServeOptions extends ApiOptions, CallOptions {}

/** What a router of HTTP needs of its platform. */
type Platform = Etag.Generator | FileSystem.FileSystem | HttpPlatform.HttpPlatform | Path.Path

/** The routes of a toolbox, for a router of yours. */
export const layer = <Tools extends AnyTool>(
  toolbox: Toolbox<Tools>,
  options: ServeOptions = {}
): Layer.Layer<never, never, HttpRouter.HttpRouter | Guard | RequirementsOf<Tools> | Platform> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const own = yield* Effect.context<Guard | RequirementsOf<Tools>>()
      const turns = yield* Turns.make
      const answer = call(toolbox.tools, turns, options)
      // the request's own context comes first: its span, its turn
      const answered = (name: string, request: HttpServerRequest): Effect.Effect<HttpServerResponse> =>
        Effect.updateContext(answer(name, request), (context: Context.Context<never>) => Context.merge(own, context))
      const toolApi = api(toolbox, options)
      // the endpoints' names are known when the program runs, and handlers are typed by name
      const group = HttpApiBuilder.group(toolApi, "tools", ((handlers: Handlers) =>
        [...toolbox.tools.keys()].reduce(
          (handlers, name) => handlers.handleRaw(name, ({ request }) => answered(name, request)),
          handlers
        )) as never)
      return Layer.merge(
        HttpApiBuilder.layer(toolApi, { openapiPath: "/openapi.json" }).pipe(Layer.provide(group)),
        HttpRouter.add("*", `${folder}*`, (request) => elsewhere(toolbox.tools, answered, request))
      )
    })
  ) as never

interface Handlers {
  handleRaw(
    name: string,
    handler: (given: { readonly request: HttpServerRequest }) => Effect.Effect<HttpServerResponse>
  ): Handlers
}

/** A request below the tools' folder that is none for a tool. */
const elsewhere = (
  tools: ReadonlyMap<string, unknown>,
  answered: (name: string, request: HttpServerRequest) => Effect.Effect<HttpServerResponse>,
  request: HttpServerRequest
): Effect.Effect<HttpServerResponse> => {
  const name = nameIn(request.url)
  if (request.method === "POST") return answered(name, request)
  if (!tools.has(name) && name !== "") {
    return Effect.succeed(
      respond(refusal(404, "unknown_tool", "There is no such tool.", "GET /openapi.json lists them."))
    )
  }
  return Effect.succeed(
    respond(refusal(405, "method_not_allowed", `${request.method} calls no tool.`, "Call it with POST."), {
      allow: "POST"
    })
  )
}

/** The name that a URL asks for, at most 200 characters of it. */
const nameIn = (url: string): string => {
  const path = url.split(/[?#]/u)[0] ?? ""
  const name = path.slice(path.indexOf(folder) + folder.length).slice(0, 200)
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
