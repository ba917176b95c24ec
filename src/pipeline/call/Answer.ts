/** Defines the answer of one execution of a handler, before it is parsed, decoded or checked. */
import type { Part } from "#domain/parts/Part"
import type * as Cause from "effect/Cause"

/** `parts`: the parts that the handler returned alongside its answer, unchanged. */
export type Answer =
  /** A value of `success`'s Type. */
  | { readonly _tag: "Value"; readonly value: unknown; readonly parts?: ReadonlyArray<Part> }
  /**
   * Encoded text: a program's output, a file's content, the body of a response. `cut`: the transport broke before its
   * end.
   */
  | {
      readonly _tag: "Text"
      readonly text: string
      readonly bytes: number
      readonly cut: boolean
      /** The bytes themselves, if the tool's result is bytes; `text` is then empty. */
      readonly raw?: Uint8Array
      readonly parts?: ReadonlyArray<Part>
    }
  /** An HTTP response, its body read up to the limit. */
  | {
      readonly _tag: "Response"
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly text: string
      readonly bytes: number
      readonly cut: boolean
      /** The code of the error if the body could not be decompressed. The text then ends where the damage begins. */
      readonly damage?: string
      readonly raw?: Uint8Array
      readonly parts?: ReadonlyArray<Part>
    }
  /** The answer has more bytes than the guard reads. */
  | { readonly _tag: "TooLarge"; readonly limit: number; readonly status: number | undefined }
  /** The handler did not answer within the attempt's time limit. */
  | { readonly _tag: "TimedOut"; readonly millis: number }
  /**
   * The answer states its own failure, such as `{"ok": false, "error": "…"}`. The side effect of the call is unknown.
   */
  | {
      readonly _tag: "Stated"
      readonly error: unknown
      /** The answer that states the failure. */
      readonly answer: Answer
      /** The headers of the response, which may state when to call again. */
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The deadline passed, or the process started to shut down, before a slot became free. */
  | { readonly _tag: "Busy"; readonly isDraining?: true }
  /** The handler failed, died or interrupted itself. */
  | { readonly _tag: "Failed"; readonly cause: Cause.Cause<unknown> }

/** Returns an answer that states its own failure. */
export const stated = (error: unknown, answer: Answer): Extract<Answer, { readonly _tag: "Stated" }> =>
  answer._tag === "Response"
    ? { _tag: "Stated", error, answer, headers: answer.headers }
    : { _tag: "Stated", error, answer }
