/**
 * One end of a connection that carries messages.
 *
 * **Details**
 *
 * - `post` neither waits nor fails, and calls `lost` for a message that is known to be lost. A sender of many messages
 *   waits for `room` between them.
 * - The receiver that is registered with `listen` gets incoming messages in order.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { McpError } from "./McpError.ts"
import type { Id, Message } from "./Message.ts"

/** An outgoing message. */
export interface OutgoingMessage {
  /** One line of JSON. */
  readonly text: string
  /** The id of a request. */
  readonly id?: Id
  /** The method of a request or notification. */
  readonly method?: string
  readonly params?: JsonObject
  /** The JSON Schema of a call's arguments, some of which HTTP repeats in headers. */
  readonly schema?: unknown
  /**
   * The request from the other side that this message answers or belongs to. Its HTTP response can carry the message.
   */
  readonly about?: Id
}

export type IncomingMessage = Result.Result<Message, McpError>

export interface Transport {
  readonly post: (message: OutgoingMessage, lost: (error: McpError) => void) => void
  /** Registers the receiver of incoming messages. Called once, before anything is sent. */
  readonly listen: (receive: (incoming: IncomingMessage) => Effect.Effect<void>) => Effect.Effect<void>
  /** Reports that the answer to a sent request is no longer needed. */
  readonly abandon: (id: Id) => void
  /** Waits until the other side has read enough of the posted messages. */
  readonly room: Effect.Effect<void>
  /** Fails when the connection ends. */
  readonly ended: Effect.Effect<never, McpError>
  /** Ends the connection because the other side misbehaves. */
  readonly end: (error: McpError) => void
}
