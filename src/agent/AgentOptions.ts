/** Defines and checks the options of a run of the agent loop, and passes the events of the run to `onEvent`. */
import * as FieldKind from "#domain/tool/FieldKind"
import * as Setting from "#domain/tool/Setting"
import * as Price from "#domain/transcript/Price"
import type * as Compaction from "#domain/transcript/Compaction"
import type { Turn } from "#domain/turn/Turn"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
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
  /** The maximum cost at `price`, which is then required. Default: no limit. */
  readonly maxCost?: number
  /** One price, or a table by model name. For a model without a price, the highest price of the table applies. */
  readonly price?: Price.Prices
  /** How many calls of a round run concurrently. Default 8. */
  readonly parallelCalls?: number
  /** Asks the model for a stream, so that text arrives in pieces. Default false. */
  readonly streaming?: boolean
  /**
   * Shortens old tool results when the conversation exceeds `maxTokens` estimated tokens, which must be fewer than the
   * `maxTokens` of the run. `read_result` can still read the whole results. Default: never.
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

/** The requirements of a run: a model, the tools with their fallbacks and lookups, and the guard. */
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

type Limits = Pick<
  RunOptions<AnyTool>,
  "compaction" | "maxCost" | "maxRounds" | "maxTime" | "maxTokens" | "parallelCalls" | "price"
>

/** The options that are checked. */
export interface RunSettings extends Limits {
  /** The lease of a run with a journal. */
  readonly lease?: Duration.Input
  /** How long an ended durable run is kept. */
  readonly retention?: Duration.Input
}

const place = "A run"

/**
 * Refuses options of a run that are not valid or contradict each other, before the run starts [2.12]: throws a
 * RangeError that names the option, its value and the remedy.
 *
 * A limit of zero is valid: a program that divides a budget among runs may have nothing left. The run then ends as
 * `LimitReached`. A limit that is NaN counts as reached, so such a run ends in the same way.
 */
export const checkSettings = (options: RunSettings): void => {
  const { lease, maxTime, parallelCalls, retention } = options
  for (const name of ["maxRounds", "maxTokens", "maxCost"] as const) checkLimit(name, options[name])
  if (maxTime !== undefined && Option.isNone(Duration.fromInput(maxTime))) {
    throw refused(`\`maxTime\` must be a duration, got ${FieldKind.shown(maxTime)}; write a time such as "30 seconds".`)
  }
  if (parallelCalls !== undefined && parallelCalls !== Infinity) Setting.count(place, "parallelCalls", parallelCalls)
  if (lease !== undefined) Setting.millis(place, "lease", lease)
  if (retention !== undefined) Setting.lifetime(place, "retention", retention)
  checkCost(options)
  checkCompaction(options)
}

const refused = (fault: string): RangeError => new RangeError(`${place}: ${fault}`)

const checkLimit = (name: string, value: unknown): void => {
  if (value === undefined || typeof value === "number") return
  throw refused(`\`${name}\` must be a number, got ${FieldKind.shown(value)}; write a number, or leave it out.`)
}

const checkCost = ({ maxCost, price }: Limits): void => {
  if (maxCost === undefined) return
  if (price === undefined) {
    throw refused(
      "`maxCost` limits the cost, but no `price` is set, so the cost is not known; set `price`, or remove `maxCost`."
    )
  }
  if (!Price.canLimit(price)) {
    throw refused(
      "`maxCost` limits the cost, but `price` has no price, or an amount that is missing, negative or not a number; correct `price`, or remove `maxCost`."
    )
  }
}

const checkCompaction = ({ compaction, maxTokens }: Limits): void => {
  if (compaction === undefined) return
  const { keepRounds, maxTokens: most } = compaction
  if (typeof most !== "number" || !(most > 0)) {
    throw refused(
      `\`compaction.maxTokens\` must be above 0, got ${FieldKind.shown(most)}; write the number of tokens above which old results are shortened.`
    )
  }
  if (keepRounds !== undefined) Setting.between(place, "compaction.keepRounds", keepRounds, 0)
  if (maxTokens !== undefined && maxTokens > 0 && most >= maxTokens) {
    throw refused(
      `\`compaction.maxTokens\` is ${most}, not below \`maxTokens\`, which is ${maxTokens}, so the run would end before a result is shortened; set a smaller \`compaction.maxTokens\` or a larger \`maxTokens\`.`
    )
  }
}
