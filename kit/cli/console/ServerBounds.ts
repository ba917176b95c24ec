/**
 * Defines the flags of commands that serve HTTP on this machine: how many connections and requests they accept, and how
 * long they wait for a request.
 */
import * as BoundedServer from "effect-toolguard/internal/layers/server/BoundedServer"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Flag from "effect/cli/Flag"
import * as Schema from "effect/Schema"
import type { Server } from "node:http"

const count = (name: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))),
    Flag.withMetavar("<number>"),
    Flag.withDescription(`${description}. Default: 1000`),
    Flag.withDefault(1_000)
  )

export const flags = {
  maxConnections: count("max-connections", "Maximum open HTTP connections"),
  maxRequests: count("max-requests", "Maximum HTTP requests in progress"),
  receiveTimeout: Flag.Int("receive-timeout").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))),
    Flag.withMetavar("<seconds>"),
    Flag.withDescription("Seconds for a client to send its request. Default: 30"),
    Flag.withDefault(30)
  )
}

export interface ServerBounds {
  readonly maxConnections: number
  readonly maxRequests: number
  /** The time that a client has to send its request, in seconds. */
  readonly receiveTimeout: number
}

/** Returns a function that creates a server, which writes its refusals with `refuse`. */
export const server =
  ({ maxConnections, maxRequests, receiveTimeout }: ServerBounds, refuse: Refuse): (() => Server) =>
  () =>
    BoundedServer.make({
      maxConnections,
      maxRequests,
      requestMillis: receiveTimeout * 1_000,
      write: (status, sentence) => {
        const { body } = refuse(status, sentence)
        return body._tag === "Uint8Array"
          ? { contentType: body.contentType, body: new TextDecoder().decode(body.body) }
          : { contentType: "text/plain", body: sentence }
      }
    })

type Refuse = (status: number, message: string) => HttpServerResponse
