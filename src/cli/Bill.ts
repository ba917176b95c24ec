/** What both runs cost and what the guard decided: as a table for people, as one JSON object for programs. */
import type { Decision } from "#domain/CallRecord"
import type { Price } from "#src/Agent"
import { fit, plain, type Screen } from "./Screen.ts"

/** What one run cost, and how it ended. */
export interface Cost {
  readonly rounds: number
  readonly calls: number
  readonly attempts: number
  readonly inputTokens: number
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
  readonly price: Price
}

const money = ({ inputTokens, outputTokens }: Cost, price: Price): number =>
  (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1_000_000

/** The bill as one line of JSON. */
export const json = ({ bare, decisions, guarded, price }: Bill): string => {
  const written = (cost: Cost) => ({ ...cost, money: Number(money(cost, price).toFixed(6)) })
  return JSON.stringify({ bare: bare === undefined ? null : written(bare), guarded: written(guarded), decisions })
}

const number = new Intl.NumberFormat("en")

const rows: ReadonlyArray<readonly [label: string, of: (cost: Cost, price: Price) => string]> = [
  ["ended", ({ ended }) => ended],
  ["requests to the model", ({ rounds }) => number.format(rounds)],
  ["calls", ({ calls }) => number.format(calls)],
  ["attempts", ({ attempts }) => number.format(attempts)],
  ["input tokens", ({ inputTokens }) => number.format(inputTokens)],
  ["output tokens", ({ outputTokens }) => number.format(outputTokens)],
  ["money", (cost, price) => `$${money(cost, price).toFixed(4)}`]
]

const table = ({ bare, guarded, price }: Bill): ReadonlyArray<string> => {
  const cell = (text: string) => text.padStart(14)
  const line = (label: string, left: string, right: string) =>
    `  ${label.padEnd(23)}${bare === undefined ? "" : cell(left)}${cell(right)}`
  return [
    line("", "bare", "guarded"),
    ...rows.map(([label, of]) => line(label, bare === undefined ? "" : of(bare, price), of(guarded, price)))
  ]
}

/** Equal decisions once, with how often they were made. */
const grouped = (decisions: ReadonlyArray<ToolDecision>): ReadonlyArray<ToolDecision & { readonly times: number }> => {
  const found = new Map<string, ToolDecision & { readonly times: number }>()
  for (const decision of decisions) {
    const key = JSON.stringify([decision.tool, decision.stage, decision.decision])
    const before = found.get(key)
    found.set(key, before === undefined ? { ...decision, times: 1 } : { ...before, times: before.times + 1 })
  }
  return [...found.values()]
}

/** Prints the bill. */
export const print = (screen: Screen, bill: Bill): void => {
  const { inputPerMillion, outputPerMillion } = bill.price
  screen.line("")
  screen.line(screen.styled("bold", "The bill"))
  for (const line of table(bill)) screen.line(line)
  const price = `at $${inputPerMillion} and $${outputPerMillion} per million tokens, counted (o200k) in the requests as sent`
  screen.line(screen.styled("dim", fit(`  ${price}`, screen.columns)))
  screen.line("")
  screen.line(screen.styled("bold", "What the guard decided"))
  if (bill.decisions.length === 0) screen.line("  nothing: every call passed")
  for (const { decision, reason, stage, times, tool } of grouped(bill.decisions)) {
    const what = `  ${tool} · ${stage}: ${decision}${times === 1 ? "" : ` × ${times}`} · ${plain(reason)}`
    screen.line(fit(what, screen.columns))
  }
}
