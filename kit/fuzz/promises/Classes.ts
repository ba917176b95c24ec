/** Checks that each failure is reported with the class and side effect that the specification requires. */
import { isOwnedDestructive } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import * as ArgumentValidity from "#kit/fuzz/simulation/ArgumentValidity"
import * as CallOutcome from "#kit/fuzz/simulation/CallOutcome"
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import type * as Expectation from "#kit/fuzz/cases/Expectation"
import type { Observation, ObservedCall } from "#kit/fuzz/simulation/Observation"
import type { Subject } from "#kit/fuzz/cases/Subject"
import { actionOf } from "#kit/fuzz/simulation/World"
import { executionsOf, expectationsOf } from "./Attempts.ts"
import type { PromiseCheck } from "./PromiseCheck.ts"

/**
 * Checks that unknown tool names and invalid or truncated arguments fail with ToolArgError, and that the tool does not
 * run.
 */
export const invalidCalls: PromiseCheck = (subject, fuzzCase, observation) => {
  for (const call of observation.calls) {
    const isMisnamed = fuzzCase.caller === undefined && call.call.name !== undefined && call.call.name !== subject.name
    const isCut = fuzzCase.caller === undefined && call.call.isCut === true
    const isInvalid =
      subject.definition.enforce === "enforce" && ArgumentValidity.of(subject, fuzzCase, call.call)._tag === "Invalid"
    const executions = executionsOf(fuzzCase, observation, call)
    if (!(isMisnamed || isCut || isInvalid) || executions === undefined || fuzzCase.caller === "loop") continue
    const fault = isMisnamed
      ? "names a tool that does not exist"
      : isCut
        ? "was truncated"
        : "has arguments that violate the contract"
    if (executions.length > 0) return `The call ${call.id} ${fault}, but the tool ran.`
    const outcome = CallOutcome.of(call)
    const expected = isMisnamed
      ? "ToolArgError unknown_tool"
      : isCut
        ? "ToolArgError truncated_arguments"
        : "ToolArgError"
    if (outcome !== undefined && !CallOutcome.describe(outcome).startsWith(expected)) {
      return `The call ${call.id} ${fault}, but ended with ${CallOutcome.describe(outcome)}; expected ${expected}.`
    }
  }
  return undefined
}

/** Checks that each call ends with a class and a side effect that the specification permits after its last answer. */
export const failureClasses: PromiseCheck = (subject, fuzzCase, observation) => {
  const hidesFallbacks = fuzzCase.caller === "program" && subject.definition.fallbacks.length > 0
  if (fuzzCase.caller === "loop" || hidesFallbacks) return undefined
  for (const [index, call] of observation.calls.entries()) {
    const executions = isIndependent(subject, fuzzCase, observation, index)
      ? executionsOf(fuzzCase, observation, call)
      : undefined
    const outcome = CallOutcome.of(call)
    if (executions === undefined || executions.length === 0 || outcome === undefined || usedFallback(outcome)) continue
    const expected = permittedOf(subject, expectationsOf(subject, executions))
    const problem = problemOf(outcome, expected)
    if (problem !== undefined)
      return `The call ${call.id} ended with ${CallOutcome.describe(outcome)}; expected ${problem}.`
  }
  return undefined
}

/** The permitted ends of a call. `sideEffect` is absent if several side effects are permitted. */
interface PermittedEnds {
  readonly ends: ReadonlyArray<Expectation.End>
  readonly sideEffect?: "none" | "committed" | "unknown"
}

const permittedOf = (subject: Subject, all: ReadonlyArray<Expectation.Expectation>): PermittedEnds => {
  const last = all.at(-1)
  if (last === undefined) return { ends: [] }
  if (subject.isRead) return { ends: last.ends, sideEffect: "none" }
  const isLookedUp = subject.definition.reconcile !== undefined
  const wasSilent = all.some(({ evidence }) => evidence === "unknown")
  const wasAnswered = all.some(({ evidence }) => evidence === "answered")
  if (last.evidence === "committed") return { ends: last.ends, sideEffect: "committed" }
  if (all.some(({ evidence }) => evidence === "any")) return { ends: [...last.ends, "HumanReview", "Success"] }
  if (!wasSilent && !wasAnswered) return { ends: last.ends, sideEffect: "none" }
  if (isLookedUp) return { ends: [...last.ends, "HumanReview", "Success"] }
  return wasSilent || isOwnedDestructive(subject.definition)
    ? { ends: ["HumanReview"], sideEffect: "unknown" }
    : { ends: last.ends, sideEffect: "unknown" }
}

const problemOf = (outcome: CallOutcome.CallOutcome, { ends, sideEffect }: PermittedEnds): string | undefined => {
  const isRaw = outcome._tag === "Success" && outcome.isRaw === true
  // a tool that only advises passes an answer that violates its contract, unless the effect of a write is unknown
  if (isRaw && sideEffect === "unknown") return "a failure with the side effect unknown"
  const end = outcome._tag === "Failure" ? outcome.failure._tag : isRaw ? "SchemaMismatch" : outcome._tag
  if (!ends.some((expected) => expected === end)) return listed(ends)
  const isWrong = outcome._tag === "Failure" && sideEffect !== undefined && outcome.failure.sideEffect !== sideEffect
  return isWrong ? `the side effect ${sideEffect}` : undefined
}

const listed = (ends: ReadonlyArray<string>): string => [...new Set(ends)].join(" or ")

/** True if a fallback was tried. The outcome is then not the tool's own. */
const usedFallback = (outcome: CallOutcome.CallOutcome): boolean =>
  outcome._tag !== "Untyped" &&
  (outcome.usedFallback !== undefined || (outcome._tag === "Failure" && outcome.tried !== undefined))

/** True if no other call can influence the outcome: no call is equal, and the circuit cannot be open. */
const isIndependent = (subject: Subject, fuzzCase: FuzzCase, { calls, world }: Observation, index: number): boolean => {
  if (index === 0 && fuzzCase.together !== true) return true
  const { checks, circuit } = subject.definition
  if (world.executions.length >= Math.min(circuit?.minimum ?? 5, 5) || checks.length > 0) return false
  const keys = calls.map((call) => keyOf(subject, fuzzCase, call))
  return keys.every((key, other) => key !== undefined && (other === index || key !== keys[index]))
}

const keyOf = (subject: Subject, fuzzCase: FuzzCase, { call }: ObservedCall): string | undefined => {
  const validity = ArgumentValidity.of(subject, fuzzCase, call)
  return validity._tag === "Valid" ? actionOf(subject, validity.value) : validity._tag
}
