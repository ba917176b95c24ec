/** Defines the options of a run of the agent loop, and passes the events of the run to `onEvent`. */
import type { Prices } from "#domain/transcript/Price"
import type * as Compaction from "#domain/transcript/Compaction"
import type { Turn } from "#domain/turn/Turn"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Guard } from "#src/guard/Guard"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import type { Toolbox } from "#src/tool/Toolbox"

export type { Price, Prices, PriceTable } from "#domain/transcript/Price"

export interface RunOptions<Tools extends AnyTool> {
  /** The user's message, or a whole conversation to continue. */
  readonly prompt: Prompt.RawInput
  readonly tools: Toolbox<Tools>
  /** The maximum number of requests to the model. Default 50. */
  readonly maxRounds?: number
  /** The maximum number of tokens, input and output together. Default: no limit. */
  readonly maxTokens?: number
  /** The maximum time; calls that are still running are then interrupted. Default: no limit. */
  readonly maxTime?: Duration.Input
  /** The maximum cost at `price`; without a price the limit is reached immediately. Default: no limit. */
  readonly maxCost?: number
  /** One price, or a table by model name. For a model without a price, the highest price of the table applies. */
  readonly price?: Prices
  /** How many calls of a round run concurrently. Default 8. */
  readonly parallelCalls?: number
  /** Asks the model for a stream, so that text arrives in pieces. Default false. */
  readonly streaming?: boolean
  /**
   * Shortens old tool results when the conversation exceeds `maxTokens` estimated tokens. `read_result` can still read
   * the whole results. Default: never.
   */
  readonly compaction?: Compaction.Options
  /** The ids of the turn. Default: a new conversation and turn of the tenant `default`, without a principal. */
  readonly turn?: Partial<Turn>
  /** Ends the run when this effect succeeds. The effect starts once, with the run. */
  readonly interruptWhen?: Effect.Effect<unknown>
  /**
   * Receives the run's events, except those inside calls (`CallObserver`). A failure is only logged. The run waits for
   * `onEvent`, even beyond `maxTime`, so the effect must be quick.
   */
  readonly onEvent?: (event: AgentEvent) => Effect.Effect<void>
}

/** The requirements of a run: a model, the tools with their alternatives and lookups, and the guard. */
export type Requirements<Tools extends AnyTool> = LanguageModel.LanguageModel | RequirementsOf<Tools> | Guard

/** Passes an event to `onEvent`. A failure of `onEvent` is logged and does not end the run. */
export const emitterOf =
  (onEvent: RunOptions<AnyTool>["onEvent"]) =>
  (event: AgentEvent): Effect.Effect<void> =>
    onEvent === undefined
      ? Effect.void
      : Effect.catchCause(
          Effect.suspend(() => onEvent(event)),
          (cause) => Effect.logWarning(`onEvent failed at ${event._tag}`, cause)
        )
