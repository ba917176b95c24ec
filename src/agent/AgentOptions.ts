/** What a run of the agent loop is told. */
import type { Prices } from "#domain/transcript/Price"
import type * as Compaction from "#domain/transcript/Compaction"
import type { Turn } from "#domain/turn/Turn"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Guard } from "#src/guard/Guard"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import type { Toolbox } from "#src/tool/Toolbox"

export type { Price, Prices, PriceTable } from "#domain/transcript/Price"

export interface RunOptions<Tools extends AnyTool> {
  /** The user's message, or a whole conversation to go on from. */
  readonly prompt: Prompt.RawInput
  readonly tools: Toolbox<Tools>
  /** Most requests to the model. Default 50. */
  readonly maxRounds?: number
  /** Most tokens, input and output together. Default: no limit. */
  readonly maxTokens?: number
  /** Longest time; calls that still run then are interrupted. Default: no limit. */
  readonly maxTime?: Duration.Input
  /** Most money at `price`; without a price the limit is reached at once. Default: no limit. */
  readonly maxCost?: number
  /** One price, or a table by the name of the model that answers. A model without a price costs as the dearest. */
  readonly price?: Prices
  /** Calls of a round that run at once. Default 8. */
  readonly parallelCalls?: number
  /** Asks the model for a stream, so that text arrives in pieces. Default false. */
  readonly streaming?: boolean
  /**
   * Shortens old tool results once the conversation is larger than so many tokens, as estimated. They stay to be read with
   * `read_result`. Default: never.
   */
  readonly compaction?: Compaction.Options
  /** Conversation, turn, tenant and principal; fresh where absent. */
  readonly turn?: Partial<Turn>
  /** Ends the run when it succeeds. Started once, with the run. */
  readonly interruptWhen?: Effect.Effect<unknown>
  /**
   * Hears the run's events but those inside of calls (`CallObserver`). A failure of it is only logged. The run waits for it,
   * beyond `maxTime` too: must be quick.
   */
  readonly onEvent?: (event: AgentEvent) => Effect.Effect<void>
}

/** What a run needs: a model, the tools with their alternatives and lookups, and the guard. */
export type Requirements<Tools extends AnyTool> = LanguageModel.LanguageModel | RequirementsOf<Tools> | Guard
