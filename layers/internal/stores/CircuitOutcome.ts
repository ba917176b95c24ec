/** Says how the end of an attempt counts in the circuit of its tool. */
import type { Outcome } from "#domain/call/Outcome"
import type { CircuitOutcome } from "#domain/tool/Circuit"
import type * as Exit from "effect/Exit"

const isFailure = (outcome: Outcome): boolean =>
  outcome._tag === "Failure" && (outcome.failure._tag === "Transient" || outcome.failure._tag === "Resource")

/** True for an attempt that was refunded. It counts neither as a failure nor as a success of the tool. */
const isIgnored = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.isRefund === true

/** Returns how an attempt counts. An attempt that was interrupted or refunded is ignored. */
export const of = (exit: Exit.Exit<Outcome>): CircuitOutcome =>
  exit._tag === "Failure" || isIgnored(exit.value) ? "ignored" : isFailure(exit.value) ? "failure" : "success"
