/**
 * The late end of a handler that ignored its timeout, or the interruption of its caller, and kept running in the background.
 *
 * It is stored in addition to the record of the call, which is written earlier; `traceId` and `callId` link the two. It is
 * never returned to the caller, and budgets, the loop detector and totals of calls do not count it.
 */
import * as Schema from "effect/Schema"
import { Failure, SideEffect } from "#domain/failure/Failure"

/** How the handler ended. */
export const LateEnd = Schema.Union([
  /**
   * The uninterruptible step ended without an error, and the handler with it. Effect drops the value of the step. A
   * write was probably done.
   */
  Schema.TaggedStruct("Finished", {}),
  /** It stopped after its finalizers. How much it did is not known. */
  Schema.TaggedStruct("Interrupted", {}),
  /** It failed or died. Classified like any other failure. */
  Schema.TaggedStruct("Failed", { failure: Failure })
])
export type LateEnd = typeof LateEnd.Type

/** The record of a late end. */
export const LateOutcome = Schema.Struct({
  tenant: Schema.String,
  conversation: Schema.String,
  turn: Schema.String,
  callId: Schema.String,
  tool: Schema.String,
  /** The attempt of the call, from 1. */
  attempt: Schema.Int,
  /** When the guard stopped waiting for it and when it ended, in epoch milliseconds. */
  leftAt: Schema.Finite,
  endedAt: Schema.Finite,
  end: LateEnd,
  /** What is now known about its side effect. */
  sideEffect: SideEffect,
  traceId: Schema.String
})
export type LateOutcome = typeof LateOutcome.Type
