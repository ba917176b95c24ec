/** Ends the waits of a call when its process starts to shut down. */
import type { Failed } from "#domain/call/Outcome"
import { IsWithinCall, started } from "#services/Drain"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Call from "./Call.ts"
import { refuse } from "./Refusal.ts"

/** True if the process of the call is shutting down. */
export const isDraining = ({ drain }: Call.Call): boolean => drain !== undefined && drain.isDraining()

/**
 * True if the process is shutting down and the call is new: nothing in progress needs it, as a handler needs its own calls
 * and an attempt needs its lookup.
 */
export const isNewWhileDraining = (call: Call.Call): boolean =>
  isDraining(call) && call.purpose === "request" && !Context.get(call.context, IsWithinCall)

/** Refuses a call that has done nothing, because its process is shutting down. */
export const refuseDrained = (call: Call.Call, stage: string, detail: string): Failed => {
  Call.decide(call, stage, "refused", "the process is shutting down")
  return refuse(call, "shutting_down", { detail })
}

/** Refuses a call whose handler got no slot: before its deadline, or before its process started to shut down. */
export const withoutSlot = (call: Call.Call, { isDraining = false }: { readonly isDraining?: boolean }): Failed => ({
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
