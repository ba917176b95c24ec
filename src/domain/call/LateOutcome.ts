/**
 * How a handler ended that the guard had left behind: at its attempt's limit, or when its caller was interrupted.
 *
 * A second, small record beside the call's, which had been written by then; `traceId` and `callId` find both. It is never
 * delivered, and nothing counts it: neither budgets nor the loop detector nor totals of calls.
 */
import * as Schema from "effect/Schema"
import { Failure, SideEffect } from "#domain/failure/Failure"

/** What the handler came to in the end. */
export const LateEnd = Schema.Union([
  /**
   * The step that could not be interrupted ended without an error, and the handler with it. What the step gave is lost:
   * Effect drops it. Of a write: it was probably done.
   */
  Schema.TaggedStruct("Finished", {}),
  /** It stopped, after its clean-up. How far it had come is not known. */
  Schema.TaggedStruct("Interrupted", {}),
  /** It failed or died, classified like any other failure. */
  Schema.TaggedStruct("Failed", { failure: Failure })
])
export type LateEnd = typeof LateEnd.Type

export const LateOutcome = Schema.Struct({
  tenant: Schema.String,
  conversation: Schema.String,
  turn: Schema.String,
  callId: Schema.String,
  tool: Schema.String,
  /** Which attempt of the call, from 1. */
  attempt: Schema.Int,
  /** When it was left behind and when it ended, in epoch milliseconds. */
  leftAt: Schema.Finite,
  endedAt: Schema.Finite,
  end: LateEnd,
  /** What is known now of what it did. */
  sideEffect: SideEffect,
  traceId: Schema.String
})
export type LateOutcome = typeof LateOutcome.Type
