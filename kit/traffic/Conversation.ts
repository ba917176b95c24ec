/**
 * Describes a recorded conversation independently of the format of its log, as the input of replay, infer and golden.
 *
 * The readers of formats build these values, and do not interpret texts. Messages and lines that cannot be read are
 * reported as `Skipped`, with their place.
 */
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import type * as JsonSchema from "effect/JsonSchema"

/** A tool as the log lists it. */
export interface RecordedTool {
  readonly name: string
  readonly description?: string
  /** The JSON Schema of the arguments, exactly as it was sent to the model. */
  readonly parameters?: JsonSchema.JsonSchema
  /** The JSON Schema of the results, if the log has one (MCP `outputSchema`). */
  readonly result?: JsonSchema.JsonSchema
  /** The access of the tool, if the log states it (MCP annotations). */
  readonly access?: "read" | "write" | "destructive"
}

/**
 * How a guarded call ended, according to the guard's record. The end is not classified again [15.2]. The answer has the
 * text of the result, so the outcome contains neither the result nor the data of a PartialData.
 */
export type GuardedEnd = Pick<
  CallRecord,
  | "attempts"
  | "crash"
  | "decisions"
  | "enforcement"
  | "notEnforced"
  | "outcome"
  | "resultDigest"
  | "sideEffect"
  | "usedFallback"
>

/** A call as the model wrote it. */
export interface RecordedCall {
  /** The id as recorded. It may be empty, and need not be unique in a conversation. */
  readonly id: string
  readonly name: string
  /** The text as the model wrote it, even if malformed, or the parsed value if the log contains only that. */
  readonly arguments: unknown
  /** The end of the call; absent unless the log is the guard's own. */
  readonly end?: GuardedEnd
}

/** A message of a conversation. */
export type RecordedMessage =
  | { readonly role: "system"; readonly text: string }
  | {
      readonly role: "user"
      readonly text: string
      /** The texts of the message's parts; empty if a part is not a text. Absent if the message is one text. */
      readonly texts?: ReadonlyArray<string>
    }
  | {
      readonly role: "assistant"
      readonly text: string
      readonly calls: ReadonlyArray<RecordedCall>
      /**
       * True if the model's output was truncated in this message (finish reason `length`, stop reason `max_tokens`).
       */
      readonly isCut?: boolean
      /** Tokens of this round, if the log has them. */
      readonly usage?: { readonly input: number; readonly output: number }
    }
  | {
      readonly role: "tool"
      /** The id of the call that this message answers. */
      readonly callId: string
      /** The result as logged: text, or the JSON of a value that the log contains in parsed form. */
      readonly text: string
      /** Whether the result is an error; absent if the log does not say. */
      readonly isError?: boolean
      /** The time of the result in epoch milliseconds, if the log has it. */
      readonly at?: number
      /** True if the log has the result in a user message. */
      readonly isFromUser?: true
    }

/** A position in the files that were read. Lines count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
}

/** A recorded conversation. */
export interface Conversation {
  readonly _tag: "Conversation"
  /** The log's own id, or `FILE:LINE`. */
  readonly id: string
  readonly place: Place
  readonly model?: string
  /** The tools; empty if the log does not list them. Calls cannot be validated then. */
  readonly tools: ReadonlyArray<RecordedTool>
  /** The messages, in the order of the log. */
  readonly messages: ReadonlyArray<RecordedMessage>
}

/** Something that could not be read. `reason` is one sentence, or two. */
export interface Skipped {
  readonly _tag: "Skipped"
  readonly place: Place
  readonly reason: string
  /** True if it is a call that the model wrote as text. */
  readonly isCall?: true
}
