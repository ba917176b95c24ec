/** Ends the waits of a call when its process starts to shut down. */
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import { type ProcessDrain, IsWithinCall, started } from "#services/Drain"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Call from "./Call.ts"
import { refuse } from "./Refusal.ts"

/**
 * Returns the drain that ends a call's waits for a slot or a retry, so that no further attempt starts. A call that is
 * part of a call in progress has no drain, because the call in progress needs it: a handler needs its own calls, and a
 * write needs its lookup. Such a call has the rest of the grace time, like the call in progress.
 */
export const drainOf = ({ context, drain }: Call.Call): ProcessDrain | undefined =>
  Context.get(context, IsWithinCall) ? undefined : drain

/** True if the process is shutting down and the call is not part of a call in progress. */
export const isDraining = (call: Call.Call): boolean => drainOf(call)?.isDraining() === true

/** True if the process is shutting down and the call is new: no call in progress needs it. */
export const isNewWhileDraining = (call: Call.Call): boolean => call.purpose === "request" && isDraining(call)

/** Refuses a call that has done nothing, because its process is shutting down. */
export const refuseDrained = (call: Call.Call, stage: string, detail: string): FailedOutcome => {
  Call.decide(call, stage, "refused", "the process is shutting down")
  return refuse(call, "shutting_down", { detail })
}

/**
 * True if a call was refused because its process is shutting down. The code alone does not prove this, because an
 * upstream that shuts down may fail with the same code.
 */
export const isDrained = (call: Call.Call, outcome: Outcome): boolean =>
  isDraining(call) &&
  outcome._tag === "Failure" &&
  outcome.failure.code === "shutting_down" &&
  outcome.failure.sideEffect === "none"

/** Refuses a call whose handler got no slot: before its deadline, or before its process started to shut down. */
export const withoutSlot = (
  call: Call.Call,
  { isDraining = false }: { readonly isDraining?: boolean }
): FailedOutcome => ({
  ...(isDraining
    ? refuseDrained(call, "run", `${call.name} had not started when the process began to shut down.`)
    : refuse(call, "busy", { detail: `Too many calls of ${call.name} are running.` })),
  isRefund: true,
  isFinal: true
})

/** Runs an effect until the process starts to shut down. Returns None if the effect has not completed by then. */
export const untilDraining = <A, E, R>(
  { drain }: Call.Call,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Option.Option<A>, E, R> => {
  const some = Effect.asSome(effect)
  return drain === undefined ? some : Effect.raceFirst(some, Effect.as(started(drain), Option.none()))
}
