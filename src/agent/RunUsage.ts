/** The usage of a run so far, and the limit that it has reached. */
import * as Price from "#domain/transcript/Price"
import type { ModelUsage, Usage } from "./AgentEnd.ts"
import type { RunOptions } from "./AgentOptions.ts"
import type * as Round from "./Round.ts"
import type { AnyTool } from "#src/tool/ToolClass"

export const none: Usage = { rounds: 0, calls: 0, attempts: 0, inputTokens: 0, outputTokens: 0, cost: 0, byModel: [] }

/** Adds the usage of a round. */
export const add = (usage: Usage, spent: Round.RoundUsage, prices: Price.Prices | undefined): Usage => {
  const { model, tokens } = spent
  const { cost, isPriced } = priced(prices, model ?? "", tokens)
  return {
    rounds: usage.rounds + 1,
    calls: usage.calls + spent.calls,
    attempts: usage.attempts + spent.attempts,
    inputTokens: usage.inputTokens + tokens.input,
    outputTokens: usage.outputTokens + tokens.output,
    cost: usage.cost + cost,
    byModel: model === undefined ? usage.byModel : withModel(usage.byModel, { model, tokens, cost, isPriced })
  }
}

/**
 * Returns the cost of the tokens. A model without a price costs the highest price of the table, so that the cost limit
 * applies.
 */
const priced = (prices: Price.Prices | undefined, model: string, tokens: Price.Tokens) => {
  const own = prices === undefined ? undefined : Price.of(prices, model)
  const price = own ?? (prices === undefined ? undefined : Price.mostExpensive(prices))
  return { cost: price === undefined ? 0 : Price.cost(price, tokens), isPriced: own !== undefined }
}

interface ModelRound {
  readonly model: string
  readonly tokens: Price.Tokens
  readonly cost: number
  readonly isPriced: boolean
}

const withModel = (
  all: ReadonlyArray<ModelUsage>,
  { cost, isPriced, model, tokens }: ModelRound
): ReadonlyArray<ModelUsage> => {
  const before = all.find((one) => one.model === model)
  const after: ModelUsage = {
    model,
    rounds: (before?.rounds ?? 0) + 1,
    inputTokens: (before?.inputTokens ?? 0) + tokens.input,
    cachedInputTokens: (before?.cachedInputTokens ?? 0) + tokens.cachedInput,
    cacheWriteTokens: (before?.cacheWriteTokens ?? 0) + tokens.cacheWrite,
    outputTokens: (before?.outputTokens ?? 0) + tokens.output,
    cost: (before?.cost ?? 0) + cost,
    isPriced
  }
  return before === undefined ? [...all, after] : all.map((one) => (one === before ? after : one))
}

/**
 * True if the limit is not reached. A limit of NaN (`Number(undefined)` from a configuration) counts as reached, not as
 * no limit.
 */
const isBelow = (used: number, limit: number): boolean => used < limit

/**
 * True if the cost limit is not reached. Without a price, or with a negative price, a cost limit could never be
 * reached, so it counts as reached immediately.
 */
const isAffordable = (cost: number, { maxCost, price }: Limits): boolean =>
  maxCost === undefined || (price !== undefined && Price.canLimit(price) && isBelow(cost, maxCost))

type Limits = Pick<RunOptions<AnyTool>, "maxCost" | "maxRounds" | "maxTokens" | "price">

/** Returns the limit that a run has reached; undefined if it has reached none. */
export const limitReached = (limits: Limits, usage: Usage): "rounds" | "tokens" | "cost" | undefined => {
  const { maxRounds = 50, maxTokens = Infinity } = limits
  if (!isBelow(usage.rounds, maxRounds)) return "rounds"
  if (!isBelow(usage.inputTokens + usage.outputTokens, maxTokens)) return "tokens"
  return isAffordable(usage.cost, limits) ? undefined : "cost"
}
