/** The surfaces that serve HTTP: the commands as processes, and the layers of the library on servers of this process. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { Guard } from "#src/guard/Guard"
import * as AgentSse from "#src/live/AgentSse"
import * as McpServe from "#src/mcp/serve/McpServe"
import * as OpenApi from "#src/openapi/Routes"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Exit, Layer, Schema, Scope, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { onTestFinished } from "vitest"
import { approversLayer, freePort } from "../inbox/support.ts"
import { endOf, endWithTest, type ProcessExit } from "../support/children.ts"
import { hostile } from "../support/McpClient.ts"
import { commandLine } from "../support/command.ts"
import { root } from "../support/sources.ts"
import type { Headers } from "../support/RawHttp.ts"

/** A request that a surface accepts. */
export interface AcceptedRequest {
  readonly path: string
  readonly body: string
  readonly headers: Headers
  readonly status: number
}

/** A running server. */
export interface RunningServer {
  readonly port: number
}

/** A running command. */
export interface Command extends RunningServer {
  readonly pid: number
  /** Stops the command with a signal. */
  readonly stop: (signal?: NodeJS.Signals) => void
  readonly ended: Promise<ProcessExit>
}

/** Starts a command, and waits until it serves. It ends with the test. */
export const command = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<Command> => {
  const child = endWithTest(
    spawn(process.execPath, commandLine(args), {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
  )
  const ended = endOf(child)
  const port = new Promise<number>((resolve) => {
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:(\d+)/u.exec(output)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
  })
  const early = ended.then(({ stderr, stdout }) => Promise.reject(new Error(`The command ended: ${stdout}${stderr}`)))
  early.catch(() => {})
  return {
    port: await Promise.race([port, early]),
    pid: child.pid ?? 0,
    stop: (signal = "SIGTERM") => void child.kill(signal),
    ended
  }
}

/** The arguments of the commands, on free ports. */
export const mcpServe = ["mcp", "serve", "--http", "0"]
export const mcpProxy = (flags: ReadonlyArray<string> = [], behaviour = "behaves"): ReadonlyArray<string> => [
  "mcp",
  "proxy",
  "--listen",
  "0",
  ...flags,
  "--",
  ...hostile(behaviour)
]
export const openapiServe = ["openapi", "serve", "--port", "0"]

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

export const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } }
})

/** Requests that the surfaces accept. The request to `openapi serve` fails only the check of its arguments. */
export const accepted = {
  mcp: { path: "/mcp", body: initialize, headers: json, status: 200 },
  openapi: { path: "/tools/read_order", body: '{"order_id":1}', headers: json, status: 422 },
  tool: { path: "/tools/search", body: '{"q":"a"}', headers: json, status: 200 },
  live: { path: "/runs", body: "{}", headers: json, status: 201 },
  /** The request has no token: the inbox answers it, and refuses the caller. */
  inbox: { path: "/api/approvals/a-1/approve", body: "{}", headers: json, status: 401 }
} as const satisfies Readonly<Record<string, AcceptedRequest>>

class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  limits: { argumentBytes: 3_000_000 },
  parameters: Schema.Struct({ q: Schema.String }),
  success: Schema.Struct({ n: Schema.Int })
}) {}

const box = Toolbox.make(Search)
const searching = Layer.mergeAll(
  Search.layer(() => Effect.succeed({ n: 1 })),
  Guard.layerMemory
)

/** Serves routes on a free port of this machine until the end of the test. */
export const served = async (routes: Layer.Layer<never, never, any>): Promise<RunningServer> => {
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const server = HttpRouter.serve(routes as Layer.Layer<never, never, HttpRouter.HttpRouter>, {
    disableListenLog: true,
    disableLogger: true
  }).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0, gracefulShutdownTimeout: "10 millis" })
    )
  )
  const context = await Effect.runPromise(Layer.buildWithScope(Layer.orDie(server), scope))
  const { address } = Context.get(context, HttpServer.HttpServer)
  return { port: address._tag === "UnixPathAddress" ? 0 : address.port }
}

/** Serves an inbox. */
export const inbox = async (
  options: Partial<Pick<EscalationHttp.ServeOptions, "host" | "publicUrl">> = {}
): Promise<RunningServer> => {
  const port = await Effect.runPromise(freePort)
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const server = EscalationHttp.serve({ port, publicUrl: `http://127.0.0.1:${port}`, ...options })
  const layer = Layer.provide(server, [approversLayer, ApprovalsMemory.layer, UnknownOutcomesMemory.layer])
  await Effect.runPromise(Layer.buildWithScope(Layer.orDie(layer), scope))
  return { port }
}

export const openApiLayer = (options: OpenApi.ServeOptions = {}): Promise<RunningServer> =>
  served(OpenApi.layer(box, options).pipe(Layer.provide(searching)))

export const mcpLayer = (options: Partial<McpServe.HttpOptions> = {}): Promise<RunningServer> =>
  served(McpServe.layerHttp(box, { name: "wire", version: "1", ...options }).pipe(Layer.provide(searching)))

/** Serves runs that never end. */
export const liveRoutes = (
  options: Partial<AgentSse.RoutesOptions<any, unknown, never>> = {}
): Promise<RunningServer> =>
  served(
    AgentSse.routes({ begin: (request) => Effect.as(request.text, () => Stream.never), ...options }).pipe(
      Layer.provide(Guard.layerMemory)
    )
  )
