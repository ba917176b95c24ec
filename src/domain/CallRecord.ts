/**
 * The one format in which a guarded call is remembered: what was asked, decided, attempted and answered.
 *
 * The pipeline writes one record a call; the loop detector, replay, `explain` and reports are folds over it.
 */
import * as Schema from "effect/Schema"
import { Failure, SideEffect } from "./Failure.ts"

/** What a stage decided about the call, and why. Stages that only pass the call on leave no decision. */
export const Decision = Schema.Struct({ stage: Schema.String, decision: Schema.String, reason: Schema.String })
export type Decision = typeof Decision.Type

/** One execution of the handler. */
export const Attempt = Schema.Struct({
  /** Epoch milliseconds. */
  startedAt: Schema.Finite,
  durationMillis: Schema.Finite,
  /** `Success`, or the tag of the failure. */
  outcome: Schema.String,
  /** The failure's code; absent after a success. */
  code: Schema.optionalKey(Schema.String)
})
export type Attempt = typeof Attempt.Type

/** How the call ended. `result` is the decoded value of a success. */
export const RecordedOutcome = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Success"), result: Schema.optionalKey(Schema.Unknown) }),
  Schema.Struct({ _tag: Schema.Literal("Failure"), failure: Failure })
])

/** One call, as it was asked, decided, attempted and answered. */
export const CallRecord = Schema.Struct({
  conversation: Schema.String,
  turn: Schema.String,
  /** The round within the turn, from 1; 0 where no loop counts rounds. */
  round: Schema.Int,
  callId: Schema.String,
  tool: Schema.String,
  /** As the model wrote them, where they came as text. */
  argumentsText: Schema.optionalKey(Schema.String),
  /** Decoded and encoded again; absent where they could not be decoded. */
  arguments: Schema.optionalKey(Schema.Unknown),
  /** The canonical arguments (RFC 8785) with the tool's name in front; absent where they could not be decoded. */
  key: Schema.optionalKey(Schema.String),
  decisions: Schema.Array(Decision),
  attempts: Schema.Array(Attempt),
  outcome: RecordedOutcome,
  sideEffect: SideEffect,
  usedFallback: Schema.optionalKey(Schema.String),
  traceId: Schema.String
})
export type CallRecord = typeof CallRecord.Type
