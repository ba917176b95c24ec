/**
 * [4.10] Asks the tool's checks what a decoded result is worth. Garbage outweighs partial, partial outweighs ok.
 *
 * What was salvaged of a cut answer is asked about too: garbage is garbage in its first rows. A verdict of partial
 * changes nothing there: how to go on after the rows that were kept is for `salvage` to say.
 */
import type { Failed, Outcome } from "#domain/call/Outcome"
import type { Check, CheckContext } from "#domain/tool/ToolDefinition"
import * as TurnHistory from "#domain/turn/TurnHistory"
import * as Verdict from "#domain/tool/Verdict"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import { now } from "#pipeline/call/Call"
import * as Call from "#pipeline/call/Call"
import { lineOf } from "#pipeline/call/Crash"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

const none: ReadonlyArray<unknown> = []

export const check: Stage<TurnMemory> = {
  name: "check",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const { checks, enforce, name } = tool.definition
    if (checks.length === 0) return next
    const judge = (call: Call.Call, previous: ReadonlyArray<unknown>) => {
      const verdict = verdictOf(checks, call, previous)
      if (verdict._tag === "Crashed") return next({ ...call, outcome: crashed(call, verdict) })
      if (call.outcome !== undefined && verdict._tag !== "Garbage") return next(call)
      if (verdict._tag === "Ok" || enforce === "enforce") return next({ ...call, outcome: undefined, verdict })
      Call.decide(call, "check", "advised", verdict._tag === "Garbage" ? verdict.detail : "the result is incomplete")
      return next(call)
    }
    return (made) => {
      const call = made.outcome === undefined ? made : withSalvaged(made, made.outcome)
      if (call === undefined || !isAnswered(call)) return next(made)
      const { turn } = call
      if (turn === undefined) return Effect.suspend(() => judge(call, none))
      return Effect.flatMap(
        memory.modifyTurn(turn, (history) => [TurnHistory.previous(history, name), history]),
        (previous) => judge(call, previous)
      )
    }
  })
}

/** A check threw. */
interface Crashed {
  readonly _tag: "Crashed"
  readonly check: string
  readonly error: unknown
}

/** The call with what was salvaged of its answer as its result; undefined where it has another outcome already. */
const withSalvaged = (call: Call.Call, outcome: Outcome): Call.Call | undefined =>
  outcome._tag === "Failure" && outcome.failure._tag === "PartialData"
    ? { ...call, result: outcome.failure.data }
    : undefined

const verdictOf = (
  checks: ReadonlyArray<Check>,
  call: Call.Call,
  previous: ReadonlyArray<unknown>
): Verdict.Verdict | Crashed => {
  const context: CheckContext = {
    arguments: call.arguments,
    previous,
    nowMillis: now(call),
    ...(call.outcome === undefined ? {} : { isSalvaged: true })
  }
  let worst: Verdict.Verdict = Verdict.ok
  for (const { name, run } of checks) {
    try {
      worst = Verdict.heavier(worst, run(call.result, context))
    } catch (error) {
      return { _tag: "Crashed", check: name, error }
    }
  }
  return worst
}

/** A defect of the tool; what a write answered has been done all the same. */
const crashed = (call: Call.Call, { check, error }: Crashed): Failed => {
  Call.decide(call, "check", "defect", `the check ${check} failed: ${lineOf(error)}`)
  return refuse(call, "tool_crashed", {
    detail: `${call.name} answered, but its check ${check} crashed.`,
    sideEffect: call.tool.definition.access === "read" ? "none" : "committed",
    cause: error
  })
}

/** True where the handler answered with something that was decoded. */
const isAnswered = ({ answer }: Call.Call): boolean =>
  answer !== undefined &&
  (answer._tag === "Value" ||
    answer._tag === "Text" ||
    (answer._tag === "Response" && answer.status >= 200 && answer.status <= 299))
