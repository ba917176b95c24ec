/** Restores entries of a run's journal into a memory and a store of budgets that tests can read. */
import { failed, type Outcome } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as TurnHistory from "#domain/turn/TurnHistory"
import * as CallJournal from "#pipeline/CallJournal"
import { compiledOf } from "#pipeline/call/CompiledTool"
import type { Budgets, BudgetsUnavailable, Spending } from "#services/Budgets"
import type { TurnMemory } from "#services/TurnMemory"
import { Effect } from "effect"
import { callOf, define, type Tool, turn } from "./support.ts"

export const key = 'search {"q":"a"}'
export const search = define("search", { budget: 3, retry: { attempts: 3 } })
export const once = define("write_it", { access: "write", repeats: "once" })

export const written = { n: 1 }

export const failure = (
  tag: "Transient" | "Permanent" | "HumanReview",
  code: string,
  sideEffect: Failure.SideEffect = "none"
) => failed(Failure.make(tag, code, { tool: "search", detail: "down", sideEffect }))

export const answerOf = (outcome: Outcome) => ({
  text: "{}",
  isFailure: outcome._tag === "Failure",
  outcome,
  traceId: "t1",
  attempts: 1,
  decisions: []
})

/** Restores an entry. Returns the answer, the history, the loop state and the calls of the store of budgets. */
export const restored = (
  tool: Tool,
  outcome: Outcome,
  over: Partial<JournalledCall> = {},
  before: {
    /** True if the arguments of the call could not be decoded. */
    readonly isKeyless?: boolean
    readonly history?: TurnHistory.TurnHistory
    readonly loop?: LoopDetector.LoopState
    readonly spend?: (unit: number) => Effect.Effect<Spending, BudgetsUnavailable>
  } = {}
) =>
  Effect.gen(function* () {
    let history = before.history ?? TurnHistory.empty
    let loop = before.loop ?? LoopDetector.initial
    const counted: Array<unknown> = []
    let unit = 0
    const spend = before.spend ?? ((nth) => Effect.succeed({ _tag: "Spent", remaining: 3 - nth, returning: 0 }))
    const memory = {
      modifyTurn: (_: unknown, f: (history: TurnHistory.TurnHistory) => readonly [unknown, TurnHistory.TurnHistory]) =>
        Effect.sync(() => {
          history = f(history)[1]
        }),
      modifyLoop: (_: unknown, f: (state: LoopDetector.LoopState) => readonly [unknown, LoopDetector.LoopState]) =>
        Effect.sync(() => {
          loop = f(loop)[1]
        })
    } as unknown as TurnMemory["Service"]
    const budgets = {
      spend: (_: unknown, key: string, limit: { readonly limit: number }, spender: object) => {
        counted.push({ spend: key, limit: limit.limit, ...spender })
        return spend((unit += 1))
      },
      settle: (
        _: unknown,
        key: string,
        { isLast, outcome, readyAt }: { isLast: boolean; outcome: Outcome; readyAt?: number }
      ) =>
        Effect.sync(() => {
          const end = outcome._tag === "Success" ? "success" : outcome.failure.code
          counted.push({ settle: key, end, isLast, readyAt })
          return false
        }),
      progress: (_: unknown, key: string) => Effect.sync(() => void counted.push({ progress: key }))
    } as unknown as Budgets["Service"]
    const call = yield* callOf(tool)
    const entry: JournalledCall = {
      ...CallJournal.write(call, answerOf(outcome)),
      isFresh: true,
      ...(before.isKeyless === true ? {} : { key }),
      ...over
    }
    const answer = yield* CallJournal.restore(
      { budgets, memory, sha256: (text) => text, toolOf: () => compiledOf(tool) },
      new Map([[tool.toolName, tool]]),
      turn,
      tool.toolName,
      entry
    )
    return { answer, entry, history, loop, counted }
  })
