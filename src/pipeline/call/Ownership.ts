/**
 * [8.3] Checks directly before an effect that a call may still act: its attempt has time left, and no other process has
 * taken the action over.
 *
 * **Details**
 *
 * - The check renews the claim, so that a full lease begins with a check that passes.
 * - If a check fails before any check of the attempt has passed, the attempt did nothing, because handlers check before
 *   every effect. If a check fails after another has passed, the effect of the attempt is unknown.
 *
 * **Gotchas**
 *
 * A process can be paused between a passed check and the effect. Only a fencing token that the upstream compares prevents
 * this effect. Without such a token, `claim` reports the effect afterwards.
 */
import * as Failure from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"
import * as Effect from "effect/Effect"
import { type Call, decide, now } from "./Call.ts"

type OwnershipFailure = Failure.Transient | Failure.Permanent

interface Attempt {
  readonly call: Call
  /** When the attempt must end, in epoch milliseconds of the caller's clock. */
  readonly endsAt: number
  /** True if the guard has stopped waiting for the attempt. */
  readonly isLeft: () => boolean
}

/** Returns the check of an attempt. */
export const check = (attempt: Attempt): Effect.Effect<void, OwnershipFailure> => {
  let isFirst = true
  const pass = () => {
    isFirst = false
  }
  return Effect.suspend(() => Effect.map(checkOwnership(attempt, isFirst), pass))
}

/** `isFirst` is true if no check of the attempt has passed. */
const checkOwnership = (attempt: Attempt, isFirst: boolean): Effect.Effect<void, OwnershipFailure> => {
  const { claim, name, trace } = attempt.call
  const late = () => Effect.fail(lost(attempt, isFirst, "timeout", `The time of this attempt of ${name} is over.`))
  const inTime = () => (attempt.isLeft() || now(attempt.call) >= attempt.endsAt ? late() : Effect.void)
  if (claim === undefined) return inTime()
  const renewed = Effect.matchEffect(claim.renew, {
    onFailure: (cause) => {
      const detail = "The store of idempotency keys does not respond, so the action was stopped."
      return Effect.fail(lost(attempt, isFirst, "store_unavailable", detail, cause))
    },
    onSuccess: (isHeld) => {
      // the process may have been paused while it waited for the store
      if (isHeld) return inTime()
      trace.isTakenOver = true
      return Effect.fail(lost(attempt, isFirst, "in_progress", `Another process has taken over ${name}.`))
    }
  })
  return Effect.andThen(inTime(), renewed)
}

const lost = (
  { call, isLeft }: Attempt,
  isFirst: boolean,
  code: "timeout" | "in_progress" | "store_unavailable",
  detail: string,
  cause?: unknown
): OwnershipFailure => {
  const { name, tool, traceId } = call
  // once the guard has left the attempt, the record may already be written
  if (!isLeft()) decide(call, "run", "stopped", detail)
  const sideEffect = isFirst || tool.definition.access === "read" ? "none" : "unknown"
  const details = { tool: name, traceId, detail, hint: codes[code].hint, sideEffect, cause } as const
  return Failure.make(code === "store_unavailable" ? "Permanent" : "Transient", code, details)
}
