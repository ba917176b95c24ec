/**
 * Where call records go, one a call.
 *
 * Appending never fails a call: a layer that cannot write logs that and goes on (SPEC 15.2, DESIGN "Errors of ours").
 */
import type { CallRecord } from "#domain/CallRecord"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What of arguments and results a record holds. `redacted` has secrets taken out. */
export type Keep = "none" | "redacted" | "full"

export class CallLog extends Context.Service<
  CallLog,
  {
    readonly keep: Keep
    /** Takes a record. Never waits: a layer that writes elsewhere does so behind the call. */
    readonly append: (record: CallRecord) => void
    /** The records that are still held, oldest first. */
    readonly records: Effect.Effect<ReadonlyArray<CallRecord>>
  }
>()("effect-toolguard/CallLog") {}
