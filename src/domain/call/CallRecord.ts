/**
 * Defines the record of a guarded call: its request, decisions, attempts and outcome.
 *
 * The pipeline writes one record per call. The call log stores the records; replay, `explain` and reports read them.
 */
import { visibleJson } from "#domain/text/VisibleText"
import * as Schema from "effect/Schema"
import { Failure, SideEffect } from "#domain/failure/Failure"
import { UnenforcedFailure } from "./UnenforcedFailure.ts"

/** What a stage decided about the call, and why. A stage that only passes the call on records no decision. */
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

/** How the call ended. */
export const RecordedOutcome = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("Success"),
    /** The encoded value, or the answer as the tool gave it if it violated `success` and was not enforced. */
    result: Schema.optionalKey(Schema.Unknown),
    /**
     * False if an identical write had succeeded in this turn and was not made again. `result` is then the first
     * result.
     */
    executed: Schema.optionalKey(Schema.Literal(false))
  }),
  Schema.Struct({ _tag: Schema.Literal("Failure"), failure: Failure })
])

/** The record of one call. */
export const CallRecord = Schema.Struct({
  tenant: Schema.String,
  /** The principal on whose behalf the call was made; absent if its turn has no principal. */
  principal: Schema.optionalKey(Schema.String),
  conversation: Schema.String,
  turn: Schema.String,
  /** The round within the turn, from 1; 0 if the host does not count rounds. */
  round: Schema.Int,
  callId: Schema.String,
  /** The name by which the tool was called. */
  tool: Schema.String,
  /** The tool's id; absent if it equals the name. */
  toolId: Schema.optionalKey(Schema.String),
  /**
   * The arguments as the model wrote them. If the host parsed them and did not keep the text, this is the JSON of the
   * parsed value. Absent if a program made the call. A text of more than 1,000,000 characters is cut; such a call is
   * always refused.
   */
  argumentsText: Schema.optionalKey(Schema.String),
  /**
   * The arguments, decoded and encoded again. If they could not be decoded, this is the value that was received, or
   * absent if only a text was received.
   */
  arguments: Schema.optionalKey(Schema.Unknown),
  /** The tool's id and the canonical arguments (RFC 8785); absent if the arguments could not be decoded. */
  key: Schema.optionalKey(Schema.String),
  /**
   * The SHA-256 of the key as 64 hex digits. Without a key, the SHA-256 of the tool's name and the arguments as sent.
   */
  keyDigest: Schema.String,
  /** Epoch milliseconds. */
  startedAt: Schema.Finite,
  /** The time from the call to its outcome. It includes the waits for people and between attempts. */
  durationMillis: Schema.Finite,
  decisions: Schema.Array(Decision),
  attempts: Schema.Array(Attempt),
  /** The outcome that the caller got. */
  outcome: RecordedOutcome,
  /**
   * Whether the tool's contract was enforced in the conversation of the call; absent unless the tool enforces it in a
   * share of conversations and the call had a conversation.
   */
  enforcement: Schema.optionalKey(Schema.Literals(["enforce", "advise"])),
  /** The failures that the guard found and did not enforce; absent if there are none. */
  notEnforced: Schema.optionalKey(Schema.Array(UnenforcedFailure)),
  /**
   * The SHA-256 of the result as JSON without volatile fields, so that equal results have equal digests. Absent without
   * a result. A result that cannot be written as JSON has a unique digest.
   */
  resultDigest: Schema.optionalKey(Schema.String),
  sideEffect: SideEffect,
  usedFallback: Schema.optionalKey(Schema.String),
  /** The defect of the handler, of a check or of the guard, with its stack: redacted, at most 4,000 characters. */
  crash: Schema.optionalKey(Schema.String),
  traceId: Schema.String
})
export type CallRecord = typeof CallRecord.Type

/**
 * Returns the record as a plain object. Computes its digests, which the pipeline's records compute when they are read.
 */
export const plain = (record: CallRecord): CallRecord => {
  const { keyDigest, resultDigest } = record
  return { ...record, keyDigest, ...(resultDigest === undefined ? {} : { resultDigest }) }
}

const RecordText = Schema.fromJsonString(Schema.toCodecJson(CallRecord))

const encode = Schema.encodeSync(RecordText)

/**
 * Returns the record as one line of JSON, which `toolguard replay` reads. Hidden characters are written as escapes.
 * Throws if the record has a value that JSON cannot represent.
 */
export const toJson = (record: CallRecord): string => visibleJson(encode(record))

/** Reads a record that `toJson` wrote. */
export const fromJson = Schema.decodeUnknownResult(RecordText)
