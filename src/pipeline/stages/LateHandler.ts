/** [4.9] Describes how a handler that outlived its attempt ended. The description is only written to the log. */
import type { LateEnd, LateOutcome } from "#domain/call/LateOutcome"
import type { Redactor } from "#services/Redactor"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { now, type Call } from "#pipeline/call/Call"
import { ofCause } from "./classify.ts"
import { redactedFailure } from "#pipeline/record/RecordWriter"

/** A handler that is still running after the guard has stopped waiting for it. */
export interface LateHandler {
  /** When the guard stopped waiting, in epoch milliseconds. */
  readonly at: number
  /** True if the handler was in an uninterruptible step. */
  readonly isUninterruptible: boolean
}

/** Interrupts a handler without waiting for it. Returns undefined if the handler ended immediately. */
export const abandon = (call: Call, fiber: Fiber.Fiber<unknown, unknown>): LateHandler | undefined => {
  // not in Fiber's interface; if it is missing, a handler that finished is reported as interrupted
  const isUninterruptible = "interruptible" in fiber && fiber.interruptible === false
  fiber.interruptUnsafe()
  return fiber.pollUnsafe() === undefined ? { at: now(call), isUninterruptible } : undefined
}

/** Describes, without secrets, how a late handler ended. */
export const outcomeOf = (
  call: Call,
  late: LateHandler,
  exit: Exit.Exit<unknown, unknown>,
  redactor: Redactor["Service"]
): LateOutcome => {
  const end = endOf(call, late, exit, redactor)
  const isRead = call.tool.definition.access === "read"
  return {
    tenant: call.turn?.tenant ?? "default",
    ...(call.turn?.principal === undefined ? {} : { principal: call.turn.principal }),
    conversation: call.turn?.conversation ?? call.traceId,
    turn: call.turn?.turn ?? "",
    callId: call.callId,
    tool: call.name,
    attempt: call.attempt,
    leftAt: late.at,
    endedAt: now(call),
    end,
    sideEffect: isRead ? "none" : end._tag === "Failed" ? end.failure.sideEffect : "unknown",
    traceId: call.traceId
  }
}

const endOf = (
  call: Call,
  { isUninterruptible }: LateHandler,
  exit: Exit.Exit<unknown, unknown>,
  redactor: Redactor["Service"]
): LateEnd => {
  const reasons = Exit.isSuccess(exit) ? [] : exit.cause.reasons.filter((reason) => !Cause.isInterruptReason(reason))
  if (reasons.length === 0) return isUninterruptible ? { _tag: "Finished" } : { _tag: "Interrupted" }
  // the call's record is already written, so decisions made here must not be added to it
  const detached = { ...call, trace: { ...call.trace, decisions: [] } }
  const { failure } = ofCause(call.tool, detached, Cause.fromReasons(reasons))
  return { _tag: "Failed", failure: redactedFailure(redactor, call, failure) }
}
