/**
 * [8.2, 8.3, 10.3] Claims the key before the action and stores the outcome after it, so that each key has one effect.
 *
 * The claim also consumes the call's approval, in the same write. A claim that was taken over from a crashed process is
 * settled first: the action runs again only if its upstream honours the key, or if the tool's `reconcile` finds no
 * effect.
 */
import type { Outcome } from "#domain/call/Outcome"
import { success } from "#domain/call/Outcome"
import {
  type Claim,
  type ClaimResult,
  IdempotencyKeys,
  type IdempotencyKeysUnavailable,
  type KeyClaim,
  type KeyState
} from "#services/IdempotencyKeys"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Call from "#pipeline/call/Call"
import { isDrained, refuseDrained, untilDraining } from "#pipeline/call/DrainedCall"
import { claimOf, known, unavailable } from "./idempotency.ts"
import * as Lookup from "#pipeline/call/Lookup"
import { interrupted, openAfter, refuse } from "#pipeline/call/Refusal"
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
      /** Stores the outcome. Returns the outcome for the caller, which is different if the claim was lost. */
      const ended = (owner: string, outcome: Outcome): Effect.Effect<Outcome> =>
        Effect.catchCause(
          Effect.flatMap(
            Effect.suspend(() => keys.complete(action, owner, textOf(call, outcome), isStored(outcome))),
            (isOurs) => (isOurs ? Effect.succeed(outcome) : takenOver(call, outcome, keys.find(action)))
          ),
          // a store that fails here does not change the outcome of the action
          (cause) =>
            Effect.as(
              Effect.logError(`The outcome of ${call.name} could not be stored (${call.traceId})`, cause),
              outcome
            )
        )
      return Effect.uninterruptibleMask((restore) => {
        const since = Call.now(call)
        return Effect.matchEffect(claiming(keys, action, call), {
          onFailure: (error) => unavailable(call, error),
          onSuccess: (claimed) => {
            if (claimed._tag === "NotApproved") return Effect.succeed(notApproved(call))
            if (claimed._tag !== "Claimed") return restore(known(call, claimed))
            const { fencingToken, owner } = claimed
            const renew = Effect.suspend(() => keys.renew(action, owner))
            const held: HeldCall = { ...call, claim: { fencingToken, since, renew } }
            const run = restore(Effect.suspend(() => settled(held, claimed, dispatch, next)))
            return Effect.flatMap(Effect.exit(run), (exit) => {
              // a resumed run settles the call, as after a crash
              const leave = (outcome: Outcome) => keys.leave(action, StoredOutcome.write(call, outcome))
              if (exit._tag === "Success") {
                const { value } = exit
                return value._tag === "Unsettled" ? Effect.as(leave(value.outcome), value.outcome) : ended(owner, value)
              }
              const outcome = stopped(call, claimed)
              const left: Effect.Effect<unknown> =
                call.journal !== undefined && isStored(outcome) ? leave(outcome) : ended(owner, outcome)
              return Effect.andThen(left, Effect.failCause(exit.cause))
            })
          }
        })
      })
    }
  })
}

/** Claims the key. The claim of an open action frees the key first, and takes the action over. */
const claiming = (
  keys: IdempotencyKeys["Service"],
  action: KeyClaim,
  { consume, reopened }: Call.Call
): Effect.Effect<Claim, IdempotencyKeysUnavailable> =>
  reopened === undefined
    ? keys.claim(action, consume)
    : Effect.map(Effect.andThen(keys.release(action, reopened), keys.claim(action, consume)), (claimed) =>
        claimed._tag === "Claimed" && claimed.lapsed === undefined
          ? { ...claimed, lapsed: { remainingMillis: 0 } }
          : claimed
      )

/** Returns the text to store. An open action whose effect is still unknown keeps the outcome that a person can settle. */
const textOf = (call: Call.Call, outcome: Outcome): string =>
  call.reopened !== undefined && outcome._tag === "Failure" && outcome.failure.sideEffect === "unknown"
    ? call.reopened
    : StoredOutcome.write(call, outcome)

type HeldCall = Call.Call & { readonly claim: Call.HeldClaim }

/** The action of a claim that was taken over could not be settled in this process; a resumed run settles it. */
interface UnsettledClaim {
  readonly _tag: "Unsettled"
  readonly outcome: Outcome
}

/**
 * Returns the outcome for the caller after another process has taken the action over, for example because this process
 * was paused for longer than its lease.
 *
 * - If this call may have acted, its outcome is unknown, because the other process may have acted too. If the upstream
 *   honours the key, it does the action only once, so a success is still reported as a success.
 * - If this call did nothing, the caller gets the outcome that is stored under the key, or `in_progress`. If the key is
 *   free, the other process did nothing either, and the caller gets the outcome of this call.
 */
const takenOver = (
  call: Call.Call,
  outcome: Outcome,
  find: Effect.Effect<KeyState | undefined, unknown>
): Effect.Effect<Outcome> => {
  const { name, tool, traceId } = call
  const { idempotency } = tool.definition
  if (outcome._tag === "Success" && idempotency.mode !== "none" && idempotency.upstreamHonoursKey) {
    Call.decide(call, "claim", "taken over", "another process repeated the action, and the upstream honours the key")
    return Effect.succeed(outcome)
  }
  if (isStored(outcome)) {
    const detail = `Another process took over ${name} before this call ended. ${name} may have been done twice.`
    Call.decide(call, "claim", "unknown", "another process took the action over before it ended")
    const original = outcome._tag === "Failure" ? { original: outcome.original ?? outcome.failure } : {}
    const unknown = { ...refuse(call, "outcome_unknown", { detail, sideEffect: "unknown" }), ...original }
    return Effect.as(Effect.logError(`${detail} (${traceId})`), unknown)
  }
  const running = () => {
    Call.decide(call, "claim", "refused", "another process has taken the action over")
    return refuse(call, "in_progress", { detail: `Another process has taken over ${name}; this call did nothing.` })
  }
  return Effect.matchEffect(find, {
    onFailure: () => Effect.succeed(running()),
    onSuccess: (found) => {
      // the other process did nothing either
      if (found === undefined) return Effect.succeed(outcome)
      if (found._tag === "Done") return known(call, found)
      return Effect.succeed(running())
    }
  })
}

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

/** Determines the effect of an unfinished claim's action, before the action may run again. */
const settled = (
  call: HeldCall,
  { lapsed }: ClaimResult,
  dispatch: Dispatch,
  next: Next
): Effect.Effect<Outcome | UnsettledClaim> => {
  if (lapsed === undefined) {
    if (!call.wasStarted) return next(call)
    // the action ended between lookup and claim, and no approval covers a second execution
    Call.decide(call, "claim", "refused", "the action that was started before has just ended")
    return Effect.succeed(refuse(call, "in_progress", { detail: "The same action has just ended." }))
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
    return Effect.map(next(withSeparateBudget(call)), (outcome): Outcome | UnsettledClaim => {
      if (isProven(outcome)) return outcome
      if (call.journal !== undefined && isDrained(call, outcome)) return { _tag: "Unsettled", outcome }
      const isOpen = outcome._tag === "Failure" ? openAfter(call, outcome.failure) : {}
      return { ...unknown(call, "it could not be repeated"), ...isOpen }
    })
  }
  if (reconcile === undefined) return Effect.succeed(unknown(call, "the tool declares no lookup"))
  const lookedUp = Effect.flatMap(Lookup.lookUp(call, reconcile, dispatch), (found) => {
    switch (found._tag) {
      case "Found":
        call.trace.wasDoneBefore = true
        Call.decide(call, "claim", "committed", `it was started before; ${reconcile.tool.toolName} found its effect`)
        return Effect.succeed(success(found.value))
      case "Absent":
        Call.decide(call, "claim", "again", `it was started before; ${reconcile.tool.toolName} found no effect`)
        return renewed(call, next)
      case "Unknown":
        return Effect.succeed(unknown(call, found.reason))
    }
  })
  // a request may still arrive until its sender's lease expires
  const { remainingMillis } = lapsed
  if (remainingMillis === 0) return lookedUp
  return Effect.flatMap(
    untilDraining(call, Effect.sleep(remainingMillis)),
    (waited): Effect.Effect<Outcome | UnsettledClaim> =>
      Option.isSome(waited) ? lookedUp : Effect.succeed(drained(call))
  )
}

/**
 * Returns the outcome of a call whose process started to shut down before the lookup. This call did nothing, so a run
 * with a journal leaves it to the process that resumes the run. Without a journal, no process settles it.
 */
const drained = (call: Call.Call): Outcome | UnsettledClaim => {
  if (call.journal === undefined) return unknown(call, "the process is shutting down")
  const detail = `${call.name} was waiting for its lookup when the process began to shut down; it was not made.`
  return { _tag: "Unsettled", outcome: refuseDrained(call, "claim", detail) }
}

/**
 * Gives the call a separate budget, because its usual budget still counts the attempt of the crashed process as
 * running.
 */
const withSeparateBudget = (call: HeldCall): HeldCall => ({
  ...call,
  takenFrom: call.occasion,
  occasion: `${call.occasion} taken over ${call.claim.fencingToken}`.trim()
})

/**
 * Renews the lease after the wait and the lookup. Then starts the action, unless the claim was lost in the meantime.
 */
const renewed = (call: HeldCall, next: Next): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const since = Call.now(call)
    return Effect.matchEffect(call.claim.renew, {
      onFailure: () => Effect.succeed(unknown(call, "the store of keys does not respond")),
      onSuccess: (isHeld) => {
        call.trace.mayHaveRun = false
        if (isHeld) return next({ ...withSeparateBudget(call), doubt: undefined, claim: { ...call.claim, since } })
        Call.decide(call, "claim", "refused", "another process has taken the action over")
        return Effect.succeed(
          refuse(call, "in_progress", { detail: `Another process has taken over ${call.name}; this call did nothing.` })
        )
      }
    })
  })

/** Returns the outcome of an interrupted call. A claim that was taken over and not settled stays unknown. */
const stopped = (call: Call.Call, { lapsed }: ClaimResult): Outcome =>
  lapsed === undefined ? interrupted(call) : unknown(call, "the lookup was interrupted")

const unknown = (call: Call.Call, reason: string): Outcome => {
  Call.decide(call, "claim", "unknown", `it was started before and never completed; ${reason}`)
  return refuse(call, "outcome_unknown", {
    detail: `${call.name} was started before and never completed; it may have been done.`,
    sideEffect: "unknown"
  })
}
