/**
 * Defines the record of the late end of a handler that ignored its timeout or an interruption, and kept running in the
 * background.
 *
 * A late outcome is stored in addition to the record of the call, which is written earlier. `traceId` and `callId` link
 * the two. A late outcome is never returned to the caller, and budgets, the loop detector and totals do not count it.
 */
import { visibleJson } from "#domain/text/VisibleText"
import * as Schema from "effect/Schema"
import { Failure, SideEffect } from "#domain/failure/Failure"

/** How the handler ended. */
export const LateEnd = Schema.Union([
  /**
   * The uninterruptible step that the handler was executing ended without an error. Effect drops the value of the step.
   * A write was probably done.
   */
  Schema.TaggedStruct("Finished", {}),
  /** The handler was interrupted and its finalizers ran. It is not known how much the handler did. */
  Schema.TaggedStruct("Interrupted", {}),
  /** The handler failed or died. The failure is classified like any other. */
  Schema.TaggedStruct("Failed", { failure: Failure })
])
export type LateEnd = typeof LateEnd.Type

/** The record of a late end. */
export const LateOutcome = Schema.Struct({
  tenant: Schema.String,
  /** The principal on whose behalf the call was made; absent if its turn has no principal. */
  principal: Schema.optionalKey(Schema.String),
  conversation: Schema.String,
  turn: Schema.String,
  callId: Schema.String,
  tool: Schema.String,
  /** The attempt of the call, from 1. */
  attempt: Schema.Int,
  /** When the guard stopped waiting for the handler, in epoch milliseconds. `endedAt` is when the handler ended. */
  leftAt: Schema.Finite,
  endedAt: Schema.Finite,
  end: LateEnd,
  /** The side effect of the call, as far as it is now known. */
  sideEffect: SideEffect,
  traceId: Schema.String
})
export type LateOutcome = typeof LateOutcome.Type

const LateText = Schema.fromJsonString(Schema.toCodecJson(LateOutcome))

const encode = Schema.encodeSync(LateText)

/** Returns the outcome as one line of JSON. Hidden characters are written as escapes. */
export const toJson = (late: LateOutcome): string => visibleJson(encode(late))

/** Reads an outcome that `toJson` wrote. */
export const fromJson = Schema.decodeUnknownResult(LateText)
