/**
 * Describes how the complete answers, streams and errors of a provider are read. Each provider implements `Protocol`.
 */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import type * as Result from "effect/Result"
import type { JsonObject } from "#domain/json/JsonObject"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/**
 * The state of a stream. If it ended now, its answer would be truncated (`incomplete`) or complete. After `over`, no event
 * can follow.
 */
type Progress = "incomplete" | "complete" | "over"

/** Reads the events of one streamed answer. */
export interface StreamReader {
  /**
   * Returns the parts to emit for an event, without calls, or a sentence that says how the event violates the protocol.
   */
  readonly read: (event: JsonObject) => Parts | string
  readonly progress: () => Progress
  /** Returns the approximate number of characters in the answer so far. */
  readonly size: () => number
  /** Returns the calls and the finish part of a complete answer. */
  readonly finish: () => Result.Result<Parts, AiError.AiErrorReason>
}

/** Reads the answers of a provider. */
export interface Protocol {
  /** The key of the provider's details in the metadata of errors. */
  readonly name: string
  /**
   * Returns the error that a parsed body or event reports, or undefined for an answer. The error has one of the shapes
   * that `Failures.refused` reads, e.g. `{ error: { type, code, message } }`. `Failures.errorIn` covers most providers.
   */
  readonly errorIn: (body: unknown) => unknown
  /** Returns the parts of a complete answer. `takenIds` are the call ids of the conversation. */
  readonly readWhole: (
    body: unknown,
    takenIds: ReadonlySet<string>
  ) => Result.Result<Array<Response.PartEncoded>, AiError.AiErrorReason>
  /** Creates the reader of one streamed answer. */
  readonly readStream: (takenIds: ReadonlySet<string>) => StreamReader
  /** Characters counted for each event in addition to its text, so that many empty events reach the limit too. */
  readonly eventSize: number
  /** The data of the event that ends a stream, if the protocol has such an event. The data is not JSON. */
  readonly endMark?: string
}
