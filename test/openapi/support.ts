/** Serves toolboxes on free ports, and sends requests to them. */
import { Guard } from "#src/guard/Guard"
import * as Routes from "#src/openapi/Routes"
import type { AnyTool } from "#src/tool/ToolClass"
import * as Toolbox from "#src/tool/Toolbox"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Creates a toolbox of tools whose types are not needed. */
export const box = (tools: Iterable<AnyTool>): Toolbox.Toolbox<any> =>
  (Toolbox.make as (...tools: ReadonlyArray<unknown>) => Toolbox.Toolbox<any>)(...tools)

/** Serves a toolbox until the scope closes. Returns its URL. */
export const serving = (
  toolbox: Toolbox.Toolbox<AnyTool>,
  layers: Layer.Layer<any, any, any>,
  options: Routes.ServeOptions = {},
  guard: Layer.Layer<any> = Guard.layerMemory
) =>
  Effect.gen(function* () {
    const server: Server = createServer()
    const routes = Routes.layer(toolbox, options) as Layer.Layer<never, never, HttpRouter.HttpRouter>
    yield* Layer.build(
      HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
        Layer.provide(
          NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0, gracefulShutdownTimeout: "1 second" })
        ),
        Layer.provide(layers),
        Layer.provide(guard)
      ) as Layer.Layer<never>
    )
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

/** A received response. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: any
}

/** Sends a request without following redirects. */
export const send = (url: string, init: RequestInit = {}): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...init })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get("content-type") ?? "")
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  })

/** Calls a tool over HTTP. */
export const post = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Answer> =>
  send(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

/** A request that `upstream` received. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Starts an upstream that answers with a function and records its requests. */
export const upstream = (answer: (received: ReceivedRequest) => Reply) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly server: Server; readonly received: Array<ReceivedRequest> }>((resume) => {
        const received: Array<ReceivedRequest> = []
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const got = {
              method: request.method ?? "",
              url: request.url ?? "",
              headers: request.headers,
              body: Buffer.concat(chunks)
            }
            received.push(got)
            const { body = "", headers = {}, status = 200 } = answer(got)
            response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
          })
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, received })))
      }),
      ({ server }) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    ({ received, server }) => ({ received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  )
