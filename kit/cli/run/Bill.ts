/** What both runs cost and what the guard decided: as a table for people, as one JSON object for programs. */
import { grouped } from "#kit/text/Numbers"
import type { Decision } from "effect-toolguard/internal/domain/call/CallRecord"
import * as Price from "effect-toolguard/internal/domain/transcript/Price"
import { fit, plain, type Screen } from "#kit/cli/console/Screen"

/** What one run cost, and how it ended. */
export interface Cost {
  readonly rounds: number
  readonly calls: number
  readonly attempts: number
  readonly inputTokens: number
  /** Of the input, as the provider tells it: read from its prompt cache, and written to it. */
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /** `Answered`, `Stopped` for the bare loop, or another end of the agent loop. */
  readonly ended: string
  /** The answer, or why there is none. */
  readonly text: string
}

/** A decision, and the tool whose call it is about. */
export type ToolDecision = Decision & { readonly tool: string }

export interface Bill {
  /** Absent where the bare loop was left out. */
  readonly bare: Cost | undefined
  readonly guarded: Cost
  readonly decisions: ReadonlyArray<ToolDecision>
  /** Absent where no prices were given: the bill then says nothing of money. */
  readonly price: Charged | undefined
}

/** What is charged. `isOwn`: false where the table has no price for the model, and its dearest is taken. */
interface Charged {
  readonly price: Price.Price
  readonly isOwn: boolean
}

/** The price of a model; undefined where the table is empty. */
export const priceOf = (prices: Price.Prices, model: string): Charged | undefined => {
  const own = Price.of(prices, model)
  const price = own ?? Price.dearest(prices)
  return price === undefined ? undefined : { price, isOwn: own !== undefined }
}

const money = (cost: Cost, { price }: Charged): number =>
  Price.cost(price, {
    input: cost.inputTokens,
    cachedInput: cost.cachedInputTokens,
    cacheWrite: cost.cacheWriteTokens,
    output: cost.outputTokens
  })

/** The bill as one line of JSON. */
export const json = ({ bare, decisions, guarded, price }: Bill): string => {
  const written = (cost: Cost) => ({
    ...cost,
    money: price === undefined ? null : Number(money(cost, price).toFixed(6))
  })
  return JSON.stringify({ bare: bare === undefined ? null : written(bare), guarded: written(guarded), decisions })
}

const rows: ReadonlyArray<readonly [label: string, of: (cost: Cost) => string]> = [
  ["ended", ({ ended }) => ended],
  ["requests to the model", ({ rounds }) => grouped(rounds)],
  ["calls", ({ calls }) => grouped(calls)],
  ["attempts", ({ attempts }) => grouped(attempts)],
  ["input tokens", ({ inputTokens }) => grouped(inputTokens)],
  ["output tokens", ({ outputTokens }) => grouped(outputTokens)]
]

const cached: (typeof rows)[number] = ["of these cached", ({ cachedInputTokens }) => grouped(cachedInputTokens)]

/** The rows that say something here. */
const rowsOf = ({ bare, guarded, price }: Bill): typeof rows => [
  ...rows.flatMap((row) =>
    row[0] === "input tokens" && guarded.cachedInputTokens + (bare?.cachedInputTokens ?? 0) > 0 ? [row, cached] : [row]
  ),
  ...(price === undefined ? [] : [["money", (cost: Cost) => `$${money(cost, price).toFixed(4)}`] as const])
]

const table = (bill: Bill): ReadonlyArray<string> => {
  const { bare, guarded } = bill
  const cell = (text: string) => text.padStart(14)
  const line = (label: string, left: string, right: string) =>
    `  ${label.padEnd(23)}${bare === undefined ? "" : cell(left)}${cell(right)}`
  return [
    line("", "bare", "guarded"),
    ...rowsOf(bill).map(([label, of]) => line(label, bare === undefined ? "" : of(bare), of(guarded)))
  ]
}

/** Equal decisions once, with how often they were made. */
const byDecision = (
  decisions: ReadonlyArray<ToolDecision>
): ReadonlyArray<ToolDecision & { readonly times: number }> => {
  const found = new Map<string, ToolDecision & { readonly times: number }>()
  for (const decision of decisions) {
    const key = JSON.stringify([decision.tool, decision.stage, decision.decision])
    const before = found.get(key)
    found.set(key, before === undefined ? { ...decision, times: 1 } : { ...before, times: before.times + 1 })
  }
  return [...found.values()]
}

const counting = "counted (o200k) in the requests as sent"

const basis = (charged: Charged | undefined): string => {
  if (charged === undefined) return `tokens are ${counting}; --price adds money`
  const { asOf, inputPerMillion, outputPerMillion } = charged.price
  const when = asOf === undefined ? "" : ` (${asOf})`
  const whose = charged.isOwn ? "" : ", the dearest of the table, since it has none for this model"
  return `at $${inputPerMillion} and $${outputPerMillion} per million tokens${when}${whose}, ${counting}`
}

/** Prints the bill. */
export const print = (screen: Screen, bill: Bill): void => {
  screen.line("")
  screen.line(screen.styled("bold", "The bill"))
  for (const line of table(bill)) screen.line(line)
  screen.line(screen.styled("dim", fit(`  ${basis(bill.price)}`, screen.columns)))
  screen.line("")
  screen.line(screen.styled("bold", "What the guard decided"))
  if (bill.decisions.length === 0) screen.line("  nothing: every call passed")
  for (const { decision, reason, stage, times, tool } of byDecision(bill.decisions)) {
    const what = `  ${tool} · ${stage}: ${decision}${times === 1 ? "" : ` × ${times}`} · ${plain(reason)}`
    screen.line(fit(what, screen.columns))
  }
}
