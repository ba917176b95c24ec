/** Serves HTTP on a free port of this machine until the scope closes. */
import { Effect, Schema, type Scope } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

/** A request with its body. */
export interface Request {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The server cannot listen on any port. */
export class CannotListen extends Schema.TaggedError<CannotListen>("examples/CannotListen")("CannotListen", {
  cause: Schema.Defect()
}) {}

/** Creates a JSON reply. */
export const json = (status: number, value: unknown): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode(JSON.stringify(value))
})

const read = async (request: IncomingMessage): Promise<Request> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // without an encoding, chunks are buffers
  return {
    method: request.method ?? "GET",
    url: new URL(request.url ?? "/", "http://127.0.0.1"),
    headers: Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
    ),
    body: Buffer.concat(chunks).toString()
  }
}

/** Answers every request with `reply`, and returns the address, such as `http://127.0.0.1:41873`. */
export const listen = (
  reply: (request: Request) => Reply | Promise<Reply>
): Effect.Effect<string, CannotListen, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>, CannotListen>((resume) => {
        const server = createServer((request, response) => {
          void read(request)
            .then(reply)
            .catch((error: unknown) => json(500, { error: { code: "internal", message: String(error) } }))
            .then(({ body, headers, status }) => {
              response.writeHead(status, { ...headers, "content-length": body.length }).end(body)
            })
        })
        server.once("error", (cause) => resume(Effect.fail(new CannotListen({ cause }))))
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    // a listening TCP server has an AddressInfo
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
