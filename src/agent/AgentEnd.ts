/** How a run of the agent loop ends. Always a value, with the transcript and what it cost. */
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Failure } from "#domain/failure/Failure"
import type * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"

/** What one model cost in a run. */
export interface ModelUsage {
  /** As its provider calls it; empty where that does not say. */
  readonly model: string
  /** Requests that it answered. */
  readonly rounds: number
  readonly inputTokens: number
  /** Of the input: read from the provider's prompt cache, and written to it. */
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /** At its own price; 0 without prices. */
  readonly cost: number
  /** False where the table has no price for it: it is then counted at the dearest of the table, never as free. */
  readonly isPriced: boolean
}

/** What a run cost. */
export interface Usage {
  /** Requests to the model. */
  readonly rounds: number
  /** Calls that the model made. */
  readonly calls: number
  /** Executions of handlers, those of alternatives and lookups included: what was paid for. */
  readonly attempts: number
  /** As the provider counts them; 0 where it does not say. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** At the prices that were given; 0 without any. */
  readonly cost: number
  /** The models that answered, in the order in which they first did. */
  readonly byModel: ReadonlyArray<ModelUsage>
}

interface Ended {
  /** The whole conversation; valid to go on from. */
  readonly transcript: Prompt.Prompt
  readonly usage: Usage
}

/** The ways in which a run ends. */
export type AgentEnd =
  /** The model answered without calls. `isCut`: its output limit ended the text. */
  | (Ended & { readonly _tag: "Answered"; readonly text: string; readonly isCut: boolean })
  /** The model, or its provider's filter, refused to answer. */
  | (Ended & { readonly _tag: "Refused"; readonly text: string })
  /** Calls that ran when the time was over were interrupted and are answered as such. */
  | (Ended & { readonly _tag: "LimitReached"; readonly limit: "rounds" | "tokens" | "time" | "cost" })
  /** The run repeated itself, and a person said no or could not be reached. `code`: `loop_detected`. */
  | (Ended & { readonly _tag: "LoopDetected"; readonly code: "loop_detected"; readonly detail: string })
  /** A person must decide before it goes on, and none did. */
  | (Ended & {
      readonly _tag: "NeedsPerson"
      readonly level: Level
      readonly detail: string
      /** The failure that asks for a person; absent where the model's provider does. */
      readonly failure: Failure | undefined
    })
  /** The model could not be asked. `isContextLimit`: the conversation is too long for it. */
  | (Ended & { readonly _tag: "ModelFailed"; readonly error: AiError.AiError; readonly isContextLimit: boolean })
  /** `interruptWhen` came true. Calls that ran were interrupted and are answered as such. */
  | (Ended & { readonly _tag: "Interrupted" })

type WithoutState<End> = End extends unknown ? Omit<End, "transcript" | "usage"> : never

/** An end before the transcript and the usage stand beside it. */
export type Decided = WithoutState<AgentEnd>
