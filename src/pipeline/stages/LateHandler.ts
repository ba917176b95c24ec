/** [4.9] What became of a handler that was left behind: for the log alone. */
import type { LateEnd, LateOutcome } from "#domain/call/LateOutcome"
import type { Redactor } from "#services/Redactor"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { now, type Call } from "#pipeline/call/Call"
import { ofCause } from "./classify.ts"
import { failureWritten } from "#pipeline/record/RecordWriter"

/** A handler that still runs when nobody waits for it any more. */
export interface Left {
  readonly at: number
  /** It was in a step that cannot be interrupted. */
  readonly isDeaf: boolean
}

/** Interrupts a handler without waiting for it. Undefined where it ended at once. */
export const leave = (call: Call, fiber: Fiber.Fiber<unknown, unknown>): Left | undefined => {
  // not in Fiber's interface; without it a step that was finished counts as interrupted
  const isDeaf = "interruptible" in fiber && fiber.interruptible === false
  fiber.interruptUnsafe()
  return fiber.pollUnsafe() === undefined ? { at: now(call), isDeaf } : undefined
}

/** The record of the end, with no secret in it. */
export const outcomeOf = (
  call: Call,
  left: Left,
  exit: Exit.Exit<unknown, unknown>,
  redactor: Redactor["Service"]
): LateOutcome => {
  const end = endOf(call, left, exit, redactor)
  const isRead = call.tool.definition.access === "read"
  return {
    tenant: call.turn?.tenant ?? "default",
    conversation: call.turn?.conversation ?? call.traceId,
    turn: call.turn?.turn ?? "",
    callId: call.callId,
    tool: call.name,
    attempt: call.attempt,
    leftAt: left.at,
    endedAt: now(call),
    end,
    sideEffect: isRead ? "none" : end._tag === "Failed" ? end.failure.sideEffect : "unknown",
    traceId: call.traceId
  }
}

const endOf = (
  call: Call,
  { isDeaf }: Left,
  exit: Exit.Exit<unknown, unknown>,
  redactor: Redactor["Service"]
): LateEnd => {
  const reasons = Exit.isSuccess(exit) ? [] : exit.cause.reasons.filter((reason) => !Cause.isInterruptReason(reason))
  if (reasons.length === 0) return isDeaf ? { _tag: "Finished" } : { _tag: "Interrupted" }
  // the call's own record has been written: nothing is noted in it any more
  const apart = { ...call, trace: { ...call.trace, decisions: [] } }
  const { failure } = ofCause(call.tool, apart, Cause.fromReasons(reasons))
  return { _tag: "Failed", failure: failureWritten(redactor, call, failure) }
}
