/**
 * How messages travel: one side's end of a connection.
 *
 * **Details**
 *
 * - `post` never waits and never fails: what becomes of a message is told to `lost`, if it is known. Whoever sends much asks
 *   `room` between messages.
 * - What comes in is handed to the one that `listen`s, in order.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { McpError } from "./McpError.ts"
import type { Id, Message } from "./Message.ts"

/** A message on its way out. */
export interface Outgoing {
  /** One line of JSON. */
  readonly text: string
  /** Of a request: its id. */
  readonly id?: Id
  /** Of a request or notification. */
  readonly method?: string
  readonly params?: JsonObject
  /** Of a call: the JSON Schema of its arguments, for what HTTP wants of them in headers. */
  readonly schema?: unknown
  /** The request of the other side that this is an answer to, or belongs to; an HTTP answer may then carry it. */
  readonly about?: Id
}

export type Incoming = Result.Result<Message, McpError>

export interface Transport {
  readonly post: (message: Outgoing, lost: (error: McpError) => void) => void
  /** Takes the receiver of all that comes in. Called once, before anything is sent. */
  readonly listen: (receive: (incoming: Incoming) => Effect.Effect<void>) => Effect.Effect<void>
  /** Nobody waits any more for the answer to a request that was sent. */
  readonly abandon: (id: Id) => void
  /** Waits until what was posted is on its way, where the other side reads slowly. */
  readonly room: Effect.Effect<void>
  /** Fails when the connection is over. */
  readonly ended: Effect.Effect<never, McpError>
  /** Ends the connection because of what the other side does. */
  readonly end: (error: McpError) => void
}
