/** Folds replayed conversations into a report, in bounded memory. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import * as Price from "effect-toolguard/internal/domain/transcript/Price"
import type { Conversation, Skipped } from "#kit/traffic/Conversation"
import type { RejectedTool } from "#kit/propose/Proposal"
import type { ReplayedConversation, ReplayedCall } from "#kit/replay/ReplayedCall"
import type { UncheckedTool } from "#kit/replay/Contracts"
import { tokensOf } from "#kit/traffic/Timeline"
import { beginning, bounded, byCount, others, table } from "./Tables.ts"
import * as Alarms from "./Alarms.ts"
import * as Changes from "./Changes.ts"
import * as Details from "./Details.ts"
import * as Lengths from "./Lengths.ts"
import * as Rejections from "./Rejections.ts"
import * as Repairs from "./Repairs.ts"
import * as Repeats from "./Repeats.ts"
import * as Rollout from "./Rollout.ts"
import * as StrictTools from "./StrictTools.ts"
import * as TimeAxis from "./TimeAxis.ts"
import type {
  CallPlace,
  DeclaredRow,
  FailureRow,
  GuardDecisions,
  Report,
  SkippedRow,
  Suspect,
  ToolRow,
  Totals,
  UncheckedRow
} from "./Report.ts"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** The options of a report. */
export interface FoldOptions {
  /** Removes secrets from the texts of the report. */
  readonly redact: (text: string) => string
  /** Prices in dollars per million tokens, by model. Without prices, the report shows no money. */
  readonly prices?: Price.Prices | undefined
}

/** Collects a report. */
export interface Fold {
  readonly add: (conversation: Conversation, replayed: ReplayedConversation) => void
  readonly skip: (skipped: Skipped) => void
  readonly unchecked: (tool: UncheckedTool) => void
  readonly report: () => Report
  /** Returns the tools with rejected results, with their schemas. */
  readonly rejectedTools: () => ReadonlyArray<RejectedTool>
}

const longestMissed = 120

/** Creates an empty report. */
export const make = ({ prices, redact }: FoldOptions): Fold => {
  const totals: Mutable<Totals> = {
    conversations: 0,
    turns: 0,
    rounds: 0,
    calls: 0,
    unanswered: 0,
    fromUserMessages: 0,
    succeeded: 0,
    partial: 0,
    failed: 0,
    declared: 0,
    notEnforced: 0,
    inputTokens: 0,
    outputTokens: 0
  }
  const guarded: Mutable<GuardDecisions> = {
    succeeded: 0,
    partial: 0,
    failed: 0,
    refused: 0,
    declared: 0,
    saved: 0,
    unanswered: 0
  }
  const saved = { calls: 0, rounds: 0, inputTokens: 0, outputTokens: 0 }
  let money = 0
  const byReason = { recall: 0, replay: 0, unchanged: 0, loop: 0, budget: 0 }
  const files = table<{ file: string; conversations: number; calls: number }>()
  const failures = table<Mutable<FailureRow>>()
  const declared = table<Mutable<DeclaredRow>>()
  const refused = table<{ code: string; count: number }>()
  const asked = table<{ tool: string; count: number }>()
  const tools = table<Mutable<ToolRow>>()
  const suspects = bounded<Suspect>(1_000)
  const skipped = bounded<SkippedRow>(100)
  const unchecked = bounded<UncheckedRow>(200)
  const rejections = Rejections.make(redact)
  const repeats = Repeats.make()
  const repairs = Repairs.make()
  const alarms = Alarms.make(redact)
  const rollout = Rollout.make()
  const details = Details.make(redact)
  const changes = Changes.make()
  const strict = StrictTools.make()
  const time = TimeAxis.make()
  const conversationLengths = Lengths.make()

  const count = (call: ReplayedCall, at: CallPlace, model: string) => {
    const { answer, contradiction, isAsked, loggedEnd, record, tally, tokens, tool } = call
    totals.calls += 1
    if ((record.notEnforced ?? []).length > 0) totals.notEnforced += 1
    if (answer?.isFromUser === true) totals.fromUserMessages += 1
    if (loggedEnd === undefined) totals.unanswered += 1
    else if (loggedEnd._tag === "Failure") totals.failed += 1
    else if (loggedEnd._tag === "Refused") totals.declared += 1
    else totals[loggedEnd._tag === "Partial" ? "partial" : "succeeded"] += 1
    const rowOf = (tool: string): Mutable<ToolRow> => ({
      tool,
      calls: 0,
      failed: 0,
      refused: 0,
      saved: 0,
      inputTokens: 0,
      outputTokens: 0,
      answerTokens: 0,
      money: prices === undefined ? null : 0
    })
    const row = tools.at(
      tool,
      () => rowOf(tool),
      () => rowOf(others)
    )
    row.calls += 1
    row.inputTokens += tokens.input
    row.outputTokens += tokens.output
    row.answerTokens += tokensOf(answer?.text.length ?? 0)
    if (row.money !== null) row.money += moneyOf(prices, model, tokens)
    totals.inputTokens += tokens.input
    totals.outputTokens += tokens.output
    changes.add(call)
    time.add(call)
    guarded[guardedAs(call)] += 1
    if (loggedEnd?._tag === "Failure") row.failed += 1
    if (isAsked) {
      asked.at(
        tool,
        () => ({ tool, count: 0 }),
        () => ({ tool: others, count: 0 })
      ).count += 1
    }
    if (contradiction !== undefined) {
      const missed = cut(redact(beginning(contradiction.answer, 1_000)), longestMissed)
      suspects.add(() => ({
        ...at,
        tool,
        reason: Changes.reasonOf(call) ?? "ended",
        missed,
        missedAt: contradiction.call
      }))
    }
    if (tally.saving !== undefined) {
      row.saved += 1
      saved.calls += 1
      byReason[tally.saving] += 1
      return
    }
    if (tally.refusal !== undefined) {
      row.refused += 1
      refused.at(tally.refusal, () => ({ code: String(tally.refusal), count: 0 })).count += 1
    }
    if (record.outcome._tag === "Failure") {
      const { _tag, code } = record.outcome.failure
      if (tally.declared !== undefined) {
        const rowOf = (tool: string): Mutable<DeclaredRow> => ({ tool, code, count: 0, first: at })
        declared.at(
          JSON.stringify([tool, code]),
          () => rowOf(tool),
          () => rowOf(others)
        ).count += 1
        return
      }
      const rowOf = (tool: string): Mutable<FailureRow> => ({ tool, class: _tag, code, count: 0, first: at })
      failures.at(
        JSON.stringify([tool, _tag, code]),
        () => rowOf(tool),
        () => rowOf(others)
      ).count += 1
    }
  }

  return {
    add: (conversation, replayed) => {
      const { file, line } = conversation.place
      totals.conversations += 1
      totals.turns += replayed.turns
      totals.rounds += replayed.rounds
      const inFile = files.at(file, () => ({ file, conversations: 0, calls: 0 }))
      inFile.conversations += 1
      inFile.calls += replayed.calls.length
      const placeOf = ({ number }: ReplayedCall) => ({ file, line, conversation: conversation.id, call: number })
      for (const call of replayed.calls) {
        count(call, placeOf(call), conversation.model ?? "")
        strict.add(call)
        alarms.add(call, placeOf(call))
      }
      rejections.add(replayed.calls, placeOf)
      conversationLengths.add(replayed.calls.length)
      saved.rounds += replayed.saved.length
      for (const { tokens } of replayed.saved) {
        saved.inputTokens += tokens.input
        saved.outputTokens += tokens.output
        money += moneyOf(prices, conversation.model ?? "", tokens)
      }
      repeats.add(conversation, replayed)
      repairs.add(conversation.model ?? "", replayed.calls)
      rollout.add(replayed.calls)
      details.add(conversation, replayed)
    },
    skip: ({ place, reason }) => skipped.add(() => ({ ...place, reason })),
    unchecked: ({ tool, unchecked: all }) => {
      for (const { pointer, reason } of all) unchecked.add(() => ({ tool, pointer, reason }))
    },
    rejectedTools: rejections.rejectedTools,
    report: () => ({
      version: 1,
      files: files.rows(),
      totals,
      guarded,
      failures: failures.rows().toSorted(
        byCount(
          ({ count }) => count,
          ({ class: tag, code, tool }) => `${tool} ${tag} ${code}`
        )
      ),
      declared: declared.rows().toSorted(
        byCount(
          ({ count }) => count,
          ({ code, tool }) => `${tool} ${code}`
        )
      ),
      refused: refused.rows().toSorted(
        byCount(
          ({ count }) => count,
          ({ code }) => code
        )
      ),
      repeats: repeats.repeats(),
      loops: repeats.loops(),
      saved: { ...saved, byReason, money: prices === undefined ? null : Number(money.toFixed(4)) },
      asked: asked.rows().toSorted(
        byCount(
          ({ count }) => count,
          ({ tool }) => tool
        )
      ),
      rejected: rejections.rows(),
      results: rejections.results(),
      suspects: suspects.value(),
      alarms: alarms.rows(),
      repair: repairs.rows(),
      rollout: rollout.rows(),
      tools: tools
        .rows()
        .map((row) => ({ ...row, money: row.money === null ? null : Number(row.money.toFixed(4)) }))
        .toSorted(
          byCount(
            ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
            ({ tool }) => tool
          )
        ),
      changes: changes.rows(),
      strict: strict.rows(),
      time: time.value(),
      lengths: { conversations: conversationLengths.rows(), repeats: repeats.lengths() },
      unchecked: unchecked.value(),
      skipped: skipped.value(),
      conversations: details.value()
    })
  }
}

/** Returns the counter for the guard's decision about a call. */
const guardedAs = ({ loggedEnd, record: { outcome }, tally }: ReplayedCall): keyof GuardDecisions => {
  if (tally.saving !== undefined) return "saved"
  if (tally.refusal !== undefined) return "refused"
  if (outcome._tag === "Success") return "succeeded"
  if (tally.declared !== undefined) return "declared"
  if (loggedEnd === undefined) return "unanswered"
  return outcome.failure._tag === "PartialData" ? "partial" : "failed"
}

/** Returns the price of a round. The highest price applies to a model without a price. */
const moneyOf = (
  prices: Price.Prices | undefined,
  model: string,
  { input, output }: { readonly input: number; readonly output: number }
): number => {
  const price = prices === undefined ? undefined : (Price.of(prices, model) ?? Price.mostExpensive(prices))
  return price === undefined ? 0 : Price.cost(price, { input, output, cachedInput: 0, cacheWrite: 0 })
}
