/**
 * Stores one record for each call, and the late outcomes of handlers that the guard stopped waiting for [15.2].
 *
 * Appending never fails a call. A layer that cannot write logs a warning.
 */
import type { CallRecord } from "#domain/call/CallRecord"
import type { LateOutcome } from "#domain/call/LateOutcome"
import type { Owner } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of records cannot be read. Calls are not affected. */
export class CallLogUnavailable extends Schema.TaggedError<CallLogUnavailable>("effect-toolguard/CallLogUnavailable")(
  "CallLogUnavailable",
  { cause: Schema.Defect() }
) {}

/**
 * How much of arguments and results a record contains in addition to digests: nothing, everything except secrets, or
 * all.
 */
export type Keep = "none" | "redacted" | "full"

export class CallLog extends Context.Service<
  CallLog,
  {
    readonly keep: Keep
    /** Adds a record. Returns immediately; a layer that writes to a disk or a server writes in the background. */
    readonly append: (record: CallRecord) => void
    /** The latest records of all tenants, oldest first, for operators. */
    readonly records: Effect.Effect<ReadonlyArray<CallRecord>, CallLogUnavailable>
    /**
     * The latest records of an owner, oldest first: of a tenant, or of one of its principals, conversations or turns. The
     * number of records of other tenants does not matter.
     */
    readonly recordsOf: (owner: Owner) => Effect.Effect<ReadonlyArray<CallRecord>, CallLogUnavailable>
    /** Adds the late outcome of a handler. Returns immediately. */
    readonly appendLate: (outcome: LateOutcome) => void
    /** The late outcomes that are still stored, oldest first. */
    readonly lateOutcomes: Effect.Effect<ReadonlyArray<LateOutcome>, CallLogUnavailable>
  }
>()("effect-toolguard/CallLog") {}
