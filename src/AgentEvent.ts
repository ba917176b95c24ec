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
  /** Old results were shortened, since the conversation was over its budget. Tokens are estimated. */
  | {
      readonly _tag: "Compacted"
      readonly round: number
      readonly callIds: ReadonlyArray<string>
      readonly tokensBefore: number
      readonly tokensAfter: number
    }
  | { readonly _tag: "Escalated"; readonly round: number; readonly detail: string; readonly isApproved: boolean }
  | { readonly _tag: "RoundEnded"; readonly round: number; readonly usage: Usage }
  /** All of a round is in the journal of the run: whatever happens now, it is not made again. */
  | { readonly _tag: "Checkpointed"; readonly run: string; readonly round: number }
  | { readonly _tag: "End"; readonly end: AgentEnd }
