/**
 * [8.2, 8.3, 10.3] Claims the key before the action and stores the outcome after it, so that each key has one effect.
 *
 * The claim also consumes the call's approval, in the same write. A claim that was taken over from a crashed process is
 * settled first: the action runs again only if its upstream honours the key, or if the tool's `reconcile` finds no
 * effect.
 */
import type { Outcome } from "#domain/call/Outcome"
import { success } from "#domain/call/Outcome"
import { type Claimed, IdempotencyKeys } from "#services/IdempotencyKeys"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { claimOf, known, unavailable } from "./idempotency.ts"
import * as Lookup from "#pipeline/call/Lookup"
import { interrupted, refuse } from "#pipeline/call/Refusal"
import type { Dispatch, Next, Stage } from "#pipeline/call/Stage"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"

export const claim: Stage<IdempotencyKeys> = {
  name: "claim",
  question: "may the action start",
  make: Effect.map(IdempotencyKeys, (keys) => (tool, dispatch) => (next) => {
    if (tool.definition.access === "read") return (call) => unkeyed(call, next)
    return (call) => {
      if (call.idempotencyKey === "") return unkeyed(call, next)
      const action = claimOf(call)
      const ended = (owner: string, outcome: Outcome) =>
        // a store that fails here does not change the outcome of the action
        Effect.ignoreCause(
          Effect.flatMap(
            Effect.suspend(() => keys.complete(action, owner, StoredOutcome.write(call, outcome), isStored(outcome))),
            (isOurs) => (isOurs ? Effect.void : takenOver(call))
          ),
          { log: "Error", message: `The outcome of ${call.name} could not be stored (${call.traceId})` }
        )
      return Effect.uninterruptibleMask((restore) =>
        Effect.matchEffect(keys.claim(action, call.consume), {
          onFailure: (error) => unavailable(call, error),
          onSuccess: (claimed) => {
            if (claimed._tag === "NotApproved") return Effect.succeed(notApproved(call))
            if (claimed._tag !== "Claimed") return restore(known(call, claimed))
            return Effect.onExit(restore(Effect.suspend(() => settled(call, claimed, dispatch, next))), (exit) => {
              if (exit._tag === "Success") return ended(claimed.owner, exit.value)
              const outcome = stopped(call, claimed)
              // a resumed run settles it, as after a crash
              return call.journal !== undefined && isStored(outcome)
                ? keys.leave(action, StoredOutcome.write(call, outcome))
                : ended(claimed.owner, outcome)
            })
          }
        })
      )
    }
  })
}

/** Logs that the lease expired before the action ended, for example because the machine slept. */
const takenOver = ({ name, traceId }: Call.Call): Effect.Effect<void> =>
  Effect.logError(`Another process took over ${name} before it ended: it may have been done twice (${traceId})`)

/** True for a success, and for a failure that did or may have done something. Any other outcome releases the key. */
const isStored = (outcome: Outcome): boolean => outcome._tag === "Success" || outcome.failure.sideEffect !== "none"

/** True for a success, for a failure of an action that was done, and for an outcome that is already unknown. */
const isProven = (outcome: Outcome): boolean =>
  outcome._tag === "Success" ||
  outcome.failure.sideEffect === "committed" ||
  (outcome.failure._tag === "HumanReview" && outcome.failure.sideEffect === "unknown")

/**
 * Calls `next` once the approval is consumed. Without a key, consuming the approval is the write that starts the call.
 */
const unkeyed = (call: Call.Call, next: Next): Effect.Effect<Outcome> =>
  call.consume === undefined
    ? next(call)
    : Effect.flatMap(call.consume, (isApproved) => (isApproved ? next(call) : Effect.succeed(notApproved(call))))

const notApproved = (call: Call.Call): Outcome => {
  Call.decide(call, "claim", "refused", "the approval of the call was already used, or has expired")
  return refuse(call, "requires_human_approval", {
    detail: `The approval of ${call.name} was already used, or has expired. The call needs a new approval.`
  })
}

/** Determines what the action of an unfinished claim did, before the action may run again. */
const settled = (call: Call.Call, { lapsed }: Claimed, dispatch: Dispatch, next: Next): Effect.Effect<Outcome> => {
  if (lapsed === undefined) {
    if (!call.wasStarted) return next(call)
    // the action ended between lookup and claim, and no approval covers a second execution
    Call.decide(call, "claim", "refused", "the action that was started before has just ended")
    return Effect.succeed(refuse(call, "in_progress", { detail: "The same action has just ended elsewhere." }))
  }
  const { idempotency, reconcile } = call.tool.definition
  if (idempotency.mode !== "none" && idempotency.upstreamHonoursKey) {
    Call.decide(
      call,
      "claim",
      "again",
      "the action was started before and never completed, and the upstream honours the key"
    )
    // an attempt that did nothing, or whose effect is unknown, says nothing about the earlier attempt
    return Effect.map(next(call), (outcome) =>
      isProven(outcome) ? outcome : unknown(call, "it could not be repeated")
    )
  }
  if (reconcile === undefined) return Effect.succeed(unknown(call, "the tool declares no lookup"))
  // a request may still arrive until its sender's lease expires
  const waited = Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, lapsed.until - now)))
  return Effect.flatMap(Effect.andThen(waited, Lookup.lookUp(call, reconcile, dispatch)), (found) => {
    switch (found._tag) {
      case "Found":
        Call.decide(call, "claim", "committed", `it was started before; ${reconcile.tool.toolName} found its effect`)
        return Effect.succeed(success(found.value))
      case "Absent":
        call.trace.mayHaveRun = false
        Call.decide(call, "claim", "again", `it was started before; ${reconcile.tool.toolName} found no effect`)
        return next(call)
      case "Unknown":
        return Effect.succeed(unknown(call, found.reason))
    }
  })
}

/** Returns the outcome of an interrupted call. A claim that was taken over and not settled stays unknown. */
const stopped = (call: Call.Call, { lapsed }: Claimed): Outcome =>
  lapsed === undefined ? interrupted(call) : unknown(call, "the lookup was interrupted")

const unknown = (call: Call.Call, reason: string): Outcome => {
  Call.decide(call, "claim", "unknown", `it was started before and never completed; ${reason}`)
  return refuse(call, "outcome_unknown", {
    detail: `${call.name} was started before and never completed; it may have been done.`,
    sideEffect: "unknown"
  })
}
