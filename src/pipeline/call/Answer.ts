/** What came back from one execution of a handler, before anything is parsed, decoded or judged. */
import type { Part } from "#domain/parts/Part"
import type * as Cause from "effect/Cause"

/** `parts`: what the handler put beside its answer, as it gave it. */
export type Answer =
  /** A value of `success`'s Type. */
  | { readonly _tag: "Value"; readonly value: unknown; readonly parts?: ReadonlyArray<Part> }
  /** Encoded text: what a program printed, a file held, a service sent. `cut`: its transport broke off. */
  | {
      readonly _tag: "Text"
      readonly text: string
      readonly bytes: number
      readonly cut: boolean
      /** The bytes themselves, where the tool's result is bytes; `text` is then empty. */
      readonly raw?: Uint8Array
      readonly parts?: ReadonlyArray<Part>
    }
  /** An HTTP response, its body read up to the bound. */
  | {
      readonly _tag: "Response"
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly text: string
      readonly bytes: number
      readonly cut: boolean
      readonly raw?: Uint8Array
      readonly parts?: ReadonlyArray<Part>
    }
  /** More bytes than the guard reads. */
  | { readonly _tag: "TooLarge"; readonly limit: number; readonly status: number | undefined }
  /** No answer within the attempt's time. */
  | { readonly _tag: "TimedOut"; readonly millis: number }
  /** The deadline passed before a slot was free. */
  | { readonly _tag: "Busy" }
  /** The handler failed, died or interrupted itself. */
  | { readonly _tag: "Failed"; readonly cause: Cause.Cause<unknown> }
