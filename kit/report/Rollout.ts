/**
 * Compares the conversations in which a tool's contract was enforced with those in which it was only advised, in the
 * guard's own records. Only tools that enforce in a share of conversations (`enforce: { share: 0.1 }`) have such records.
 *
 * **Details**
 *
 * - Each tool is compared by itself, because tools may have different shares. With all tools together, a conversation
 *   would be the more likely to count as enforced, the more tools it uses.
 * - A conversation with calls of the tool on both sides is left out and counted: its share was changed meanwhile.
 */
import type { EnforcementMode } from "effect-toolguard/internal/domain/tool/PolicyInput"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import * as Repairs from "./Repairs.ts"
import { others, table } from "./Tables.ts"

/** Counts the conversations of one side. */
export interface RolloutSide {
  /** The number of conversations with calls of the tool. */
  readonly conversations: number
  /** The number of calls of the tool in these conversations. */
  readonly calls: number
  /** The number of these calls that failed. */
  readonly failed: number
  /** The number of these failures after which the model's next call of the tool succeeded. */
  readonly repaired: number
  /** The number of these calls with a failure that was found and not enforced. */
  readonly notEnforced: number
  /** The tokens of all requests and replies with calls of these conversations, as logged or estimated. */
  readonly tokens: number
}

/** Both sides of one tool. */
export interface RolloutRow {
  readonly tool: string
  readonly enforced: RolloutSide
  readonly advised: RolloutSide
  /** The number of conversations that were left out because the tool's calls are on both sides. */
  readonly leftOut: number
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

interface MutableRow {
  readonly tool: string
  readonly enforced: Mutable<RolloutSide>
  readonly advised: Mutable<RolloutSide>
  leftOut: number
}

const side = () => ({ conversations: 0, calls: 0, failed: 0, repaired: 0, notEnforced: 0, tokens: 0 })

const rowOf = (tool: string) => (): MutableRow => ({ tool, enforced: side(), advised: side(), leftOut: 0 })

/** Creates an empty comparison. */
export const make = () => {
  const rows = table<MutableRow>()
  return {
    /** Adds the calls of a conversation. */
    add: (calls: ReadonlyArray<ReplayedCall>): void => {
      const tokens = calls.reduce((sum, { tokens: { input, output } }) => sum + input + output, 0)
      for (const [tool, { calls: ofTool, modes }] of callsByTool(calls)) {
        const row = rows.at(tool, rowOf(tool), rowOf(others))
        if (modes.size > 1) row.leftOut += 1
        else addTo(modes.has("enforce") ? row.enforced : row.advised, ofTool, tokens)
      }
    },
    /** Returns the rows by the name of the tool. */
    rows: (): ReadonlyArray<RolloutRow> => rows.rows().toSorted((a, b) => (a.tool < b.tool ? -1 : 1))
  }
}

interface ToolCalls {
  readonly calls: Array<ReplayedCall>
  readonly modes: Set<EnforcementMode>
}

const callsByTool = (calls: ReadonlyArray<ReplayedCall>): ReadonlyMap<string, ToolCalls> => {
  const byTool = new Map<string, ToolCalls>()
  for (const call of calls) {
    const { enforcement } = call.record
    if (enforcement === undefined) continue
    const known = byTool.get(call.tool)
    if (known === undefined) byTool.set(call.tool, { calls: [call], modes: new Set([enforcement]) })
    else {
      known.calls.push(call)
      known.modes.add(enforcement)
    }
  }
  return byTool
}

const addTo = (counts: Mutable<RolloutSide>, calls: ReadonlyArray<ReplayedCall>, tokens: number): void => {
  const repairs = Repairs.make()
  repairs.add("", calls)
  counts.conversations += 1
  counts.calls += calls.length
  counts.tokens += tokens
  for (const { repaired } of repairs.rows()) counts.repaired += repaired
  for (const { loggedEnd, record } of calls) {
    if (loggedEnd?._tag === "Failure") counts.failed += 1
    if ((record.notEnforced ?? []).length > 0) counts.notEnforced += 1
  }
}
