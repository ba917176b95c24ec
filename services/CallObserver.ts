/**
 * Hears what happens inside a call while it happens. For user interfaces; a reference, so it shows in no requirements.
 *
 * Called synchronously: it must be quick and must not throw.
 */
import type { FailureTag } from "#domain/failure/Failure"
import * as Context from "effect/Context"

/** Something that happened inside a call. */
export type CallEvent =
  | { readonly _tag: "AttemptStarted"; readonly callId: string; readonly tool: string; readonly attempt: number }
  | {
      readonly _tag: "AttemptEnded"
      readonly callId: string
      readonly tool: string
      readonly attempt: number
      /** `Success`, or the class of the failure. */
      readonly outcome: "Success" | FailureTag
      readonly code: string | undefined
      readonly durationMillis: number
    }
  | {
      readonly _tag: "RetryScheduled"
      readonly callId: string
      readonly tool: string
      readonly attempt: number
      readonly delayMillis: number
    }
  | { readonly _tag: "PersonAsked"; readonly callId: string; readonly tool: string; readonly sentence: string }

export const CallObserver = Context.Reference<((event: CallEvent) => void) | undefined>(
  "effect-toolguard/CallObserver",
  { defaultValue: () => undefined }
)
