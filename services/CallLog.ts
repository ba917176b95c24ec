/**
 * Where call records go, one a call, and the late outcomes of handlers that were left behind.
 *
 * Appending never fails a call: a layer that cannot write logs that and goes on (SPEC 15.2, DESIGN "Errors of ours").
 */
import type { CallRecord } from "#domain/call/CallRecord"
import type { LateOutcome } from "#domain/call/LateOutcome"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of the records cannot be read. No call notices. */
export class CallLogUnavailable extends Schema.TaggedError<CallLogUnavailable>("effect-toolguard/CallLogUnavailable")(
  "CallLogUnavailable",
  { cause: Schema.Defect() }
) {}

/** What of arguments and results a record holds beside their digests. `redacted` has secrets taken out. */
export type Keep = "none" | "redacted" | "full"

export class CallLog extends Context.Service<
  CallLog,
  {
    readonly keep: Keep
    /** Takes a record. Never waits: a layer that writes elsewhere does so behind the call. */
    readonly append: (record: CallRecord) => void
    /** The records that are still held, oldest first. */
    readonly records: Effect.Effect<ReadonlyArray<CallRecord>, CallLogUnavailable>
    /** Takes what became of a handler that was left behind. Never waits. */
    readonly appendLate: (outcome: LateOutcome) => void
    /** The late outcomes that are still held, oldest first. */
    readonly lateOutcomes: Effect.Effect<ReadonlyArray<LateOutcome>, CallLogUnavailable>
  }
>()("effect-toolguard/CallLog") {}
