/**
 * Receives the events of a call as they happen, for user interfaces. A reference, so that it never appears in requirements.
 *
 * The guard calls it synchronously: it must return quickly and must not throw.
 */
import type { FailureTag } from "#domain/failure/Failure"
import * as Context from "effect/Context"

/** An event of a call. */
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
  | {
      readonly _tag: "PersonAsked"
      readonly callId: string
      readonly tool: string
      readonly sentence: string
      /** The id and the URL of the request in the inbox; absent if the person is asked elsewhere. */
      readonly requestId?: string
      readonly approvalUrl?: string
    }

export const CallObserver = Context.Reference<((event: CallEvent) => void) | undefined>(
  "effect-toolguard/CallObserver",
  { defaultValue: () => undefined }
)
