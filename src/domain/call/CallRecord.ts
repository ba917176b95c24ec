/**
 * The one format in which a guarded call is remembered: what was asked, decided, attempted and answered.
 *
 * The pipeline writes one record a call; the loop detector, replay, `explain` and reports are folds over it.
 */
import * as Schema from "effect/Schema"
import { Failure, SideEffect } from "#domain/failure/Failure"

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
  tenant: Schema.String,
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
  /** SHA-256 of the key, as 64 hex digits; of the name and what was sent where that could not be decoded. */
  keyDigest: Schema.String,
  /** Epoch milliseconds. */
  startedAt: Schema.Finite,
  /** From the call to its outcome, waits for people and between attempts included. */
  durationMillis: Schema.Finite,
  decisions: Schema.Array(Decision),
  attempts: Schema.Array(Attempt),
  outcome: RecordedOutcome,
  /**
   * SHA-256 of the result as JSON, volatile fields left out: equal results have equal digests. Absent where there is
   * none. A result that cannot be written as JSON equals no other.
   */
  resultDigest: Schema.optionalKey(Schema.String),
  sideEffect: SideEffect,
  usedFallback: Schema.optionalKey(Schema.String),
  traceId: Schema.String
})
export type CallRecord = typeof CallRecord.Type

/** The record as an object of its own fields. One that the pipeline has just written works its digests out when read. */
export const plain = (record: CallRecord): CallRecord => {
  const { keyDigest, resultDigest } = record
  return { ...record, keyDigest, ...(resultDigest === undefined ? {} : { resultDigest }) }
}

const RecordText = Schema.fromJsonString(Schema.toCodecJson(CallRecord))

/** The record as JSON: a line of it is what `toolguard replay` reads. Throws where it holds what JSON cannot. */
export const toJson: (record: CallRecord) => string = Schema.encodeSync(RecordText)

/** The record of a text that `toJson` has written. */
export const fromJson = Schema.decodeUnknownResult(RecordText)
