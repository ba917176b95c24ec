/** How a run of the agent loop ends: always a value, with the transcript and the usage. */
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Failure } from "#domain/failure/Failure"
import type * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"

/** The usage of one model in a run. */
export interface ModelUsage {
  /** The provider's name of the model; empty if not stated. */
  readonly model: string
  /** The number of requests that the model answered. */
  readonly rounds: number
  readonly inputTokens: number
  /** The part of the input read from the provider's prompt cache, and the part written to it. */
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /** The cost at the price of this model; 0 without prices. */
  readonly cost: number
  /**
   * False if the price table does not contain the model. Its cost is then computed at the highest price in the table.
   */
  readonly isPriced: boolean
}

/** The usage of a run. */
export interface Usage {
  /** The number of requests to the model. */
  readonly rounds: number
  /** The number of calls that the model made. */
  readonly calls: number
  /** The number of executions of handlers, including those of fallbacks and lookups. */
  readonly attempts: number
  /** The input tokens, as counted by the provider; 0 if the provider states no count. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The cost, computed from the `price` option; 0 without prices. */
  readonly cost: number
  /** The models that answered, in the order of their first answer. */
  readonly byModel: ReadonlyArray<ModelUsage>
}

interface EndFields {
  /** The whole conversation, valid as the prompt of another run. */
  readonly transcript: Prompt.Prompt
  readonly usage: Usage
}

/** The end of a run. */
export type AgentEnd =
  /** The model answered without calls. `isCut` is true if the text was cut at the model's output limit. */
  | (EndFields & { readonly _tag: "Answered"; readonly text: string; readonly isCut: boolean })
  /** The model, or its provider's filter, refused to answer. */
  | (EndFields & { readonly _tag: "Refused"; readonly text: string })
  /**
   * A limit was reached. Calls that were running when the time expired were interrupted, and are answered as
   * interrupted.
   */
  | (EndFields & { readonly _tag: "LimitReached"; readonly limit: "rounds" | "tokens" | "time" | "cost" })
  /** The run repeated itself, and a person refused to continue or could not be reached. */
  | (EndFields & { readonly _tag: "LoopDetected"; readonly code: "loop_detected"; readonly detail: string })
  /** A person must approve before the run continues, and no approval was given. */
  | (EndFields & {
      readonly _tag: "NeedsPerson"
      readonly level: Level
      readonly detail: string
      /**
       * The failure that requires a person. If a request to the model failed, its tool is `model`, and its code
       * `context_limit`, `unavailable`, `unauthorized`, `quota_exceeded`, `refused`, `invalid_result` if the answer could
       * not be read, `misconfigured` if the request could not be sent, or `tool_failed` if the reason is unknown.
       */
      readonly failure: Failure
      /** The provider's error, if a request to the model failed. */
      readonly error?: AiError.AiError
    })
  /**
   * The request to the model failed, and the escalation policy asks no person; or the model sent three unusable
   * responses in a row. `isContextLimit` is true if the conversation is too long for the model.
   */
  | (EndFields & { readonly _tag: "ModelFailed"; readonly error: AiError.AiError; readonly isContextLimit: boolean })
  /** `interruptWhen` completed. Running calls were interrupted, and are answered as interrupted. */
  | (EndFields & { readonly _tag: "Interrupted" })

type WithoutState<End> = End extends unknown ? Omit<End, "transcript" | "usage"> : never

/** An end without the transcript and the usage. */
export type EndDecision = WithoutState<AgentEnd>

/** Returns the provider's error if the run ended because a request to the model failed, whether or not a person was asked. */
export const modelErrorOf = (end: EndDecision): AiError.AiError | undefined =>
  end._tag === "ModelFailed" || end._tag === "NeedsPerson" ? end.error : undefined
