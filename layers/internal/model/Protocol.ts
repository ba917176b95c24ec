/** What the frame needs to know to read a provider's answers: whole ones, streams and errors. */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import type * as Result from "effect/Result"
import type { JsonObject } from "#domain/json/JsonObject"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** How far a stream has come: cut if it ends here, whole if it ends here, or followed by nothing. */
type Progress = "incomplete" | "complete" | "over"

/** Reads the events of one streamed answer. */
export interface StreamReader {
  /** The parts that an event shows, or a sentence that says how it breaks the protocol. No call is among the parts. */
  readonly read: (event: JsonObject) => Parts | string
  readonly progress: () => Progress
  /** Roughly how many characters the answer holds so far. */
  readonly size: () => number
  /** The calls and the finish part of an answer that is complete. */
  readonly finish: () => Result.Result<Parts, AiError.AiErrorReason>
}

/** How the answers of a provider are read. */
export interface Protocol {
  /** The key of the provider's details in the metadata of errors. */
  readonly name: string
  /**
   * The error that a parsed body or event reports, undefined for an answer. In one of the shapes that `Failures.refused`
   * reads, e.g. `{ error: { type, code, message } }`. `Failures.errorIn` covers most providers.
   */
  readonly errorIn: (body: unknown) => unknown
  /** The parts of a whole answer. `takenIds` are the call ids of the conversation. */
  readonly readWhole: (
    body: unknown,
    takenIds: ReadonlySet<string>
  ) => Result.Result<Array<Response.PartEncoded>, AiError.AiErrorReason>
  /** Makes the reader of one streamed answer. */
  readonly readStream: (takenIds: ReadonlySet<string>) => StreamReader
  /** Characters that an event counts for besides its text, so that many empty events reach the limit too. */
  readonly eventSize: number
  /** The data of the event that ends a stream without being JSON, if the protocol has one. */
  readonly endMark?: string
}
