/**
 * A real HTTP server on loopback that sends scripted responses, which may be slow, truncated or absent. A caller, such as the test
 * server of one protocol, chooses the response to each request.
 */
import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A piece of a body: text, bytes, a value written as JSON, or a wait until a promise settles. */
export type Piece =
  | string
  | { readonly until: Promise<unknown> }
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array }

/** Creates the response to a request. */
export type Responder<Body> = (body: Body) => ScriptedResponse

/** A scripted response. */
export interface ScriptedResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly pieces: ReadonlyArray<Piece>
  /** Breaks the connection after the pieces instead of ending the response. */
  readonly cut?: boolean
  /** Sends no response. */
  readonly hang?: boolean
  /** Called if the client closes the connection before the response is complete. */
  readonly onClose?: () => void
}

export const json = { "content-type": "application/json" }
export const eventStream = { "content-type": "text/event-stream; charset=utf-8" }

/** Sends a body unchanged; an object is written as JSON. */
export const raw =
  (status: number, body: string | object, headers: { readonly [name: string]: string } = json): Responder<unknown> =>
  () => ({ status, headers, pieces: [typeof body === "string" ? body : { json: body }] })

/** Accepts the request and sends no response. */
export const hang: Responder<unknown> = () => ({ status: 200, headers: json, pieces: [], hang: true })

/** Sends a body that is shorter than its declared length, and breaks the connection. */
export const cutBody =
  (body: string): Responder<unknown> =>
  () => ({ status: 200, headers: { ...json, "content-length": `${body.length + 100}` }, pieces: [body], cut: true })

/** Creates a streamed response of pieces. `cut` breaks the connection after the last piece. */
export const streamed =
  (pieces: ReadonlyArray<Piece>, { cut = false } = {}): Responder<unknown> =>
  () => ({ status: 200, headers: eventStream, pieces, cut })

/** Returns the halves of a text that are not empty. */
export const halves = (text: string): ReadonlyArray<string> => {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "")
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const piece of request) chunks.push(piece as Buffer)
  return Buffer.concat(chunks).toString()
}

const write = async (
  response: ServerResponse,
  { cut, hang: hangs, headers, onClose, pieces, status }: ScriptedResponse
): Promise<void> => {
  response.once("close", () => {
    if (!response.writableFinished) onClose?.()
  })
  if (hangs === true) return
  response.writeHead(status, headers)
  response.flushHeaders()
  for (const piece of pieces) {
    if (typeof piece === "string") response.write(piece)
    else if ("until" in piece) await piece.until
    else if ("bytes" in piece) await new Promise((resolve) => response.write(piece.bytes, resolve))
    else response.write(JSON.stringify(piece.json))
  }
  if (cut === true) response.write("", () => response.socket?.destroy())
  else response.end()
}

/** Starts a server whose responses are chosen by `respondTo`. It stops with the scope. Returns its origin. */
export const start = <Body>(
  respondTo: (request: IncomingMessage, body: Body) => Responder<Body>
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          void readBody(request).then((text) => {
            const body: Body = text === "" ? {} : JSON.parse(text)
            return write(response, respondTo(request, body)(body))
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return server
      }),
      (server) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
