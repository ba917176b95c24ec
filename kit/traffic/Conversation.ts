/**
 * A recorded conversation, whatever format it was logged in: what replay, infer, golden and the benches read.
 *
 * Readers of formats make these; they copy no text and judge nothing. What cannot be read is told as `Skipped`, with its
 * place, and never dropped in silence.
 */
import type * as JsonSchema from "effect/JsonSchema"

/** A tool as the log lists it. */
export interface RecordedTool {
  readonly name: string
  readonly description?: string
  /** JSON Schema of the arguments, as it was sent to the model; odd types, missing `required` and all. */
  readonly parameters?: JsonSchema.JsonSchema
  /** JSON Schema of the results, where the log has one (MCP `outputSchema`). */
  readonly result?: JsonSchema.JsonSchema
  /** What the tool may do, where the log says so (MCP annotations). */
  readonly access?: "read" | "write" | "destructive"
}

/** A call as the model wrote it. */
export interface RecordedCall {
  /** As recorded; it may be empty, or stand twice in a conversation. */
  readonly id: string
  readonly name: string
  /** The text as the model wrote it, malformed ones included; or what the log holds parsed. */
  readonly arguments: unknown
}

export type RecordedMessage =
  | { readonly role: "system" | "user"; readonly text: string }
  | {
      readonly role: "assistant"
      readonly text: string
      readonly calls: ReadonlyArray<RecordedCall>
      /** The model's output ended inside of this message (finish reason `length`, stop reason `max_tokens`). */
      readonly isCut?: boolean
      /** Tokens of this round, where the log has them. */
      readonly usage?: { readonly input: number; readonly output: number }
    }
  | {
      readonly role: "tool"
      /** The id of the call that is answered. */
      readonly callId: string
      /** As logged: text, or JSON of what the log holds parsed. */
      readonly text: string
      /** Only where the log says so. */
      readonly isError?: boolean
      /** Epoch milliseconds, where the log has them. */
      readonly at?: number
    }

/** Where something stands in the files that were read. Lines count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
}

export interface Conversation {
  readonly _tag: "Conversation"
  /** The log's own id, or the file's name and the line. */
  readonly id: string
  readonly place: Place
  readonly model?: string
  /** Empty where the log does not list them: calls can then not be validated. */
  readonly tools: ReadonlyArray<RecordedTool>
  /** In the order of the log. */
  readonly messages: ReadonlyArray<RecordedMessage>
}

/** What could not be read, and why, in one sentence. */
export interface Skipped {
  readonly _tag: "Skipped"
  readonly place: Place
  readonly reason: string
}
