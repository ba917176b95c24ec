/** Formats the bill: the costs of both runs and the decisions of the guard, as a table or as one JSON object. */
import { grouped } from "#kit/text/Numbers"
import type { Decision } from "effect-toolguard/internal/domain/call/CallRecord"
import * as Price from "effect-toolguard/internal/domain/transcript/Price"
import * as Json from "#kit/cli/console/Json"
import { fit, plain, type Screen } from "#kit/cli/console/Screen"

/** The cost and the end of one run. */
export interface Cost {
  readonly rounds: number
  readonly calls: number
  readonly attempts: number
  readonly inputTokens: number
  /** Input tokens read from the provider's prompt cache, as the provider reports them. */
  readonly cachedInputTokens: number
  /** Input tokens written to the provider's prompt cache. */
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /** How the run ended: `Answered`, `Stopped` for the bare loop, or another end of a guarded run. */
  readonly ended: string
  /** The answer, or why there is no answer. */
  readonly text: string
}

/** A decision with the tool of its call. */
export type ToolDecision = Decision & { readonly tool: string }

/** The costs of both runs, and the decisions of the guard. */
export interface Bill {
  /** The cost of the bare loop; undefined if it did not run. */
  readonly bare: Cost | undefined
  readonly guarded: Cost
  readonly decisions: ReadonlyArray<ToolDecision>
  /** The id with which the guarded run is resumed; undefined if it has ended or is not saved. */
  readonly resume: string | undefined
  /** True if the tokens were counted in the requests to the model; false if the model reported them. */
  readonly isMetered: boolean
  /** The price; undefined without a table of prices. The bill then shows no money. */
  readonly price: ChargedPrice | undefined
}

/** The price to charge. `isOwn` is false if the table has no price for the model; its highest price is then charged. */
interface ChargedPrice {
  readonly price: Price.Price
  readonly isOwn: boolean
}

/** Returns the price of a model, or `undefined` if the table is empty. */
export const priceOf = (prices: Price.Prices, model: string): ChargedPrice | undefined => {
  const own = Price.of(prices, model)
  const price = own ?? Price.mostExpensive(prices)
  return price === undefined ? undefined : { price, isOwn: own !== undefined }
}

const money = (cost: Cost, { price }: ChargedPrice): number =>
  Price.cost(price, {
    input: cost.inputTokens,
    cachedInput: cost.cachedInputTokens,
    cacheWrite: cost.cacheWriteTokens,
    output: cost.outputTokens
  })

/** Returns the bill as one line of JSON. */
export const json = ({ bare, decisions, guarded, price, resume }: Bill): string => {
  const withMoney = (cost: Cost) => ({
    ...cost,
    money: price === undefined ? null : Number(money(cost, price).toFixed(6))
  })
  return Json.text({
    bare: bare === undefined ? null : withMoney(bare),
    guarded: withMoney(guarded),
    decisions,
    resume: resume ?? null
  })
}

const rows: ReadonlyArray<readonly [label: string, of: (cost: Cost) => string]> = [
  ["ended", ({ ended }) => ended],
  ["requests to the model", ({ rounds }) => grouped(rounds)],
  ["calls", ({ calls }) => grouped(calls)],
  ["attempts", ({ attempts }) => grouped(attempts)],
  ["input tokens", ({ inputTokens }) => grouped(inputTokens)],
  ["output tokens", ({ outputTokens }) => grouped(outputTokens)]
]

const cached: (typeof rows)[number] = ["of which cached", ({ cachedInputTokens }) => grouped(cachedInputTokens)]

/** Returns the rows that apply to this bill. */
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

/** Groups equal decisions and counts them. */
const byDecision = (
  decisions: ReadonlyArray<ToolDecision>
): ReadonlyArray<ToolDecision & { readonly times: number }> => {
  const found = new Map<string, ToolDecision & { readonly times: number }>()
  for (const decision of decisions) {
    const key = JSON.stringify([decision.tool, decision.stage, decision.decision])
    const earlier = found.get(key)
    found.set(key, earlier === undefined ? { ...decision, times: 1 } : { ...earlier, times: earlier.times + 1 })
  }
  return [...found.values()]
}

/** Returns the line under the table: the price, and how the tokens were counted. */
const basis = ({ isMetered, price: charged }: Bill): string => {
  const counting = isMetered ? "counted (o200k) in the requests as sent" : "reported by the model"
  if (charged === undefined) return `tokens are ${counting}; add --price to see the cost`
  const { asOf, inputPerMillion, outputPerMillion } = charged.price
  const when = asOf === undefined ? "" : ` (${asOf})`
  const fallback = charged.isOwn
    ? ""
    : ", the highest price of the table, because the table has no price for this model"
  return `at $${inputPerMillion} and $${outputPerMillion} per million tokens${when}${fallback}, ${counting}`
}

/** Prints the bill. */
export const print = (screen: Screen, bill: Bill): void => {
  screen.line("")
  screen.line(screen.styled("bold", "The bill"))
  for (const line of table(bill)) screen.line(line)
  screen.line(screen.styled("dim", fit(`  ${basis(bill)}`, screen.columns)))
  screen.line("")
  screen.line(screen.styled("bold", "What the guard decided"))
  if (bill.decisions.length === 0) screen.line("  nothing: every call passed")
  for (const { decision, reason, stage, times, tool } of byDecision(bill.decisions)) {
    const what = `  ${tool} · ${stage}: ${decision}${times === 1 ? "" : ` × ${times}`} · ${plain(reason)}`
    screen.line(fit(what, screen.columns))
  }
}
