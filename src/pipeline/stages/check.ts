/**
 * [4.10] Runs the tool's checks on a decoded result. Garbage outweighs partial, and partial outweighs ok.
 *
 * The salvaged rows of a truncated answer are checked too, because they may be garbage. A verdict of partial changes
 * nothing for them: `salvage` has already decided how to continue.
 */
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import * as Enforcement from "#domain/turn/Enforcement"
import type { Check, CheckContext } from "#domain/tool/ToolDefinition"
import * as TurnHistory from "#domain/turn/TurnHistory"
import * as Verdict from "#domain/tool/Verdict"
import { TurnMemory } from "#services/TurnMemory"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { ofAnswer } from "#pipeline/answer/SideEffectOfAnswer"
import * as Call from "#pipeline/call/Call"
import { lineOf } from "#pipeline/call/Crash"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

const none: ReadonlyArray<unknown> = []

export const check: Stage<TurnMemory> = {
  name: "check",
  question: "is the result plausible",
  make: Effect.map(TurnMemory, (memory) => (tool) => (next) => {
    const { scope } = tool
    const { checks, enforce: enforcement } = tool.definition
    if (checks.length === 0) return next
    const judge = (call: Call.Call, previous: ReadonlyArray<unknown>) => {
      const enforce = Enforcement.modeOf(enforcement, call.turn)
      const verdict = verdictOf(checks, call, previous)
      if (verdict._tag === "Crashed") {
        const outcome = crashed(call, verdict)
        if (enforce === "enforce") return next({ ...call, outcome })
        Call.advise(call, "check", outcome.failure)
        return next(call)
      }
      if (call.outcome !== undefined && (verdict._tag !== "Garbage" || enforce === "advise")) return next(call)
      return next({ ...call, outcome: undefined, verdict })
    }
    return (received) => {
      const call = received.outcome === undefined ? received : withSalvaged(received, received.outcome)
      if (call === undefined || !isAnswered(call)) return next(received)
      const { turn } = call
      if (turn === undefined) return Effect.suspend(() => judge(call, none))
      return Effect.flatMap(
        memory.modifyTurn(turn, (history) => [TurnHistory.previous(history, scope), history]),
        (previous) => judge(call, previous)
      )
    }
  })
}

/** A check that threw, and its error. */
interface CrashedCheck {
  readonly _tag: "Crashed"
  readonly check: string
  readonly error: unknown
}

/** Returns the call with its salvaged rows as the result; undefined if no rows were salvaged. */
const withSalvaged = (call: Call.Call, outcome: Outcome): Call.Call | undefined =>
  outcome._tag === "Failure" && outcome.failure._tag === "PartialData"
    ? { ...call, result: outcome.failure.data }
    : undefined

const verdictOf = (
  checks: ReadonlyArray<Check>,
  call: Call.Call,
  previous: ReadonlyArray<unknown>
): Verdict.Verdict | CrashedCheck => {
  const context: CheckContext = {
    arguments: call.arguments,
    tool: call.tool.definition.name,
    previous,
    nowMillis: Call.now(call),
    ...(call.outcome === undefined ? {} : { isSalvaged: true })
  }
  let worst: Verdict.Verdict = call.verdict // an answer may state that it is incomplete
  for (const { name, run } of checks) {
    try {
      worst = Verdict.heavier(worst, run(call.result, context))
    } catch (error) {
      return { _tag: "Crashed", check: name, error }
    }
  }
  return worst
}

/** Returns the failure of a check that threw, as a defect of the tool. */
const crashed = (call: Call.Call, { check, error }: CrashedCheck): FailedOutcome => {
  Call.decide(call, "check", "defect", `the check ${check} failed: ${lineOf(error)}`)
  call.trace.crash = Cause.die(error)
  const failure = refuse(call, "tool_crashed", {
    detail: `${call.name} answered, but its check ${check} crashed.`,
    sideEffect: call.answer === undefined ? "none" : ofAnswer(call.tool.definition.access, call.answer),
    cause: error
  })
  return { ...failure, isAnswered: true }
}

/** True if the handler returned a value, a text or a successful response. */
const isAnswered = ({ answer }: Call.Call): boolean =>
  answer !== undefined &&
  (answer._tag === "Value" ||
    answer._tag === "Text" ||
    (answer._tag === "Response" && answer.status >= 200 && answer.status <= 299))
