/** What a run tells while it goes on, for user interfaces. */
import type { CallEvent } from "#services/CallObserver"
import type { AgentEnd, Usage } from "./AgentEnd.ts"
import type { ModelAnswer } from "./Guard.ts"

export type AgentEvent =
  | { readonly _tag: "RoundStarted"; readonly round: number }
  /** A piece of the model's text; the whole text where the model is not streamed. */
  | { readonly _tag: "Text"; readonly round: number; readonly delta: string }
  | {
      readonly _tag: "CallStarted"
      readonly round: number
      readonly callId: string
      readonly tool: string
      readonly arguments: unknown
    }
  | CallEvent
  /** A call is answered. `answer.text` is what the model reads. */
  | {
      readonly _tag: "CallEnded"
      readonly round: number
      readonly callId: string
      readonly tool: string
      readonly answer: ModelAnswer
    }
  /** The history was damaged and has been repaired before it was sent. */
  | {
      readonly _tag: "HistoryRepaired"
      readonly round: number
      readonly changes: ReadonlyArray<{ readonly _tag: string }>
    }
  | { readonly _tag: "Escalated"; readonly round: number; readonly detail: string; readonly isApproved: boolean }
  | { readonly _tag: "RoundEnded"; readonly round: number; readonly usage: Usage }
  | { readonly _tag: "End"; readonly end: AgentEnd }
