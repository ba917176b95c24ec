/**
 * [8.2, 8.3, 10.3] Claims the key before the action and records its outcome after it: one effect per key. The claim and
 * the use of the call's approval are one write.
 *
 * A claim that was taken over from a process that died is settled first: the action is made again only where its upstream
 * honours the key, or where the tool's reconcile finds that nothing was done.
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
  make: Effect.map(IdempotencyKeys, (keys) => (tool, dispatch) => (next) => {
    if (tool.definition.access === "read") return (call) => unkeyed(call, next)
    return (call) => {
      if (call.idempotencyKey === "") return unkeyed(call, next)
      const action = claimOf(call)
      const ended = (owner: string, outcome: Outcome) =>
        // a store that breaks here, however it does so, does not change what the action came to
        Effect.ignoreCause(
          Effect.flatMap(
            Effect.suspend(() => keys.complete(action, owner, StoredOutcome.write(call, outcome), isKept(outcome))),
            (isOurs) => (isOurs ? Effect.void : takenOver(call))
          ),
          { log: "Error", message: `The outcome of ${call.name} could not be kept (${call.traceId})` }
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
              // a run that is gone on with settles it then, as it does after its process died
              return call.journal !== undefined && isKept(outcome)
                ? keys.leave(action, StoredOutcome.write(call, outcome))
                : ended(claimed.owner, outcome)
            })
          }
        })
      )
    }
  })
}

/** Its lease was over before it ended, as where its machine slept. The other could not know what this one did. */
const takenOver = ({ name, traceId }: Call.Call): Effect.Effect<void> =>
  Effect.logError(`Another process has taken ${name} over before it ended: it may have been done twice (${traceId})`)

/** Kept are successes, and whatever was or may have been done. Anything else frees the key for another attempt. */
const isKept = (outcome: Outcome): boolean => outcome._tag === "Success" || outcome.failure.sideEffect !== "none"

/** The use of the approval is then the write that starts the call. */
const unkeyed = (call: Call.Call, next: Next): Effect.Effect<Outcome> =>
  call.consume === undefined
    ? next(call)
    : Effect.flatMap(call.consume, (isApproved) => (isApproved ? next(call) : Effect.succeed(notApproved(call))))

const notApproved = (call: Call.Call): Outcome => {
  Call.decide(call, "claim", "refused", "its approval was used already, or is over")
  return refuse(call, "requires_human_approval", {
    detail: `The approval of ${call.name} was used already, or is over; it needs a new one.`
  })
}

/** Finds out what a claim that never ended has done, before anything is done again. */
const settled = (call: Call.Call, { lapsed }: Claimed, dispatch: Dispatch, next: Next): Effect.Effect<Outcome> => {
  if (lapsed === undefined) {
    if (!call.wasStarted) return next(call)
    // it ended between the look and the claim: nobody has approved that it is made again
    Call.decide(call, "claim", "refused", "the action that was started before has just ended")
    return Effect.succeed(refuse(call, "in_progress", { detail: "The same action has just ended elsewhere." }))
  }
  const { idempotency, reconcile } = call.tool.definition
  if (idempotency.mode !== "none" && idempotency.upstreamHonoursKey) {
    Call.decide(call, "claim", "again", "it was started before and never ended; its upstream honours the key")
    // an attempt that did nothing says nothing of the one before
    return Effect.map(next(call), (outcome) =>
      isKept(outcome) ? outcome : unknown(call, "it could not be made again")
    )
  }
  if (reconcile === undefined) return Effect.succeed(unknown(call, "nothing can look it up"))
  // what was sent may arrive until the lease of its sender is over
  const waited = Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, lapsed.until - now)))
  return Effect.flatMap(Effect.andThen(waited, Lookup.look(call, reconcile, dispatch)), (found) => {
    switch (found._tag) {
      case "Found":
        Call.decide(call, "claim", "committed", `it was started before; ${reconcile.tool.toolName} found its effect`)
        return Effect.succeed(success(found.value))
      case "Absent":
        Call.decide(call, "claim", "again", `it was started before; ${reconcile.tool.toolName} found no effect`)
        return next(call)
      case "Unknown":
        return Effect.succeed(unknown(call, found.reason))
    }
  })
}

/** A claim that was taken over and not settled is as unknown as before, whatever became of this call. */
const stopped = (call: Call.Call, { lapsed }: Claimed): Outcome =>
  lapsed === undefined ? interrupted(call) : unknown(call, "who looked was interrupted")

const unknown = (call: Call.Call, reason: string): Outcome => {
  Call.decide(call, "claim", "unknown", `it was started before and never ended; ${reason}`)
  return refuse(call, "outcome_unknown", {
    detail: `${call.name} was started before and never ended; it may have been done.`,
    sideEffect: "unknown"
  })
}
