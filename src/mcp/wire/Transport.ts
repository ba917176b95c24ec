/**
 * One end of a connection that carries messages.
 *
 * **Details**
 *
 * - `post` neither waits nor fails; `lost` reports a message that is known to be lost. A sender of many messages waits for
 *   `room` between them.
 * - Incoming messages go to the `listen`er, in order.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { McpError } from "./McpError.ts"
import type { Id, Message } from "./Message.ts"

/** An outgoing message. */
export interface Outgoing {
  /** One line of JSON. */
  readonly text: string
  /** The id of a request. */
  readonly id?: Id
  /** The method of a request or notification. */
  readonly method?: string
  readonly params?: JsonObject
  /** The JSON Schema of a call's arguments, some of which HTTP repeats in headers. */
  readonly schema?: unknown
  /** The request from the other side that this answers or belongs to, so that its HTTP response can carry it. */
  readonly about?: Id
}

export type Incoming = Result.Result<Message, McpError>

export interface Transport {
  readonly post: (message: Outgoing, lost: (error: McpError) => void) => void
  /** Registers the receiver of incoming messages. Called once, before anything is sent. */
  readonly listen: (receive: (incoming: Incoming) => Effect.Effect<void>) => Effect.Effect<void>
  /** Reports that the answer to a sent request is no longer needed. */
  readonly abandon: (id: Id) => void
  /** Waits while the other side reads slowly, until the posted messages are on their way. */
  readonly room: Effect.Effect<void>
  /** Fails when the connection ends. */
  readonly ended: Effect.Effect<never, McpError>
  /** Ends the connection because the other side misbehaves. */
  readonly end: (error: McpError) => void
}
