/** The events of a run, for user interfaces. */
import type { CallEvent } from "#services/CallObserver"
import type { ModelEvent } from "#services/ModelObserver"
import type { AgentEnd, Usage } from "./AgentEnd.ts"
import type { ModelAnswer } from "#src/guard/Guard"

export type AgentEvent =
  /**
   * The first event of a resumed run, which continues from its journal or its workflow. `round` is the last stored
   * round, 0 if none is stored; `calls` is the number of stored calls, which are not made again.
   */
  | { readonly _tag: "Resumed"; readonly run: string; readonly round: number; readonly calls: number }
  | { readonly _tag: "RoundStarted"; readonly round: number }
  /** A piece of the model's text; the whole text if the model is not streamed. */
  | { readonly _tag: "Text"; readonly round: number; readonly delta: string }
  /**
   * The stream broke after text of this round was emitted: that text is invalid, and the text of the round is sent
   * again.
   */
  | { readonly _tag: "TextWithdrawn"; readonly round: number }
  /** The request to the model failed. It is retried, or sent to the next model. */
  | (ModelEvent & { readonly round: number })
  | {
      readonly _tag: "CallStarted"
      readonly round: number
      readonly callId: string
      readonly tool: string
      readonly arguments: unknown
    }
  | CallEvent
  /** A call was answered. `answer.text` is the text that the model reads. */
  | {
      readonly _tag: "CallEnded"
      readonly round: number
      readonly callId: string
      readonly tool: string
      readonly answer: ModelAnswer
    }
  /** The history was damaged, and was repaired before the request was sent. */
  | {
      readonly _tag: "HistoryRepaired"
      readonly round: number
      readonly changes: ReadonlyArray<{ readonly _tag: string }>
    }
  /** Old results were shortened because the conversation exceeded `compaction.maxTokens`. Tokens are estimated. */
  | {
      readonly _tag: "Compacted"
      readonly round: number
      readonly callIds: ReadonlyArray<string>
      readonly tokensBefore: number
      readonly tokensAfter: number
    }
  /** A person was asked whether the run may continue. `answer` has the person's words, which the model reads. */
  | {
      readonly _tag: "Escalated"
      readonly round: number
      readonly detail: string
      readonly isApproved: boolean
      readonly answer?: string
    }
  /** `model`: the provider's name of the model that answered; empty if not stated, absent if no model answered. */
  | { readonly _tag: "RoundEnded"; readonly round: number; readonly usage: Usage; readonly model?: string }
  /** The whole round is in the journal of the run and will not be repeated. */
  | { readonly _tag: "Checkpointed"; readonly run: string; readonly round: number }
  | { readonly _tag: "End"; readonly end: AgentEnd }
