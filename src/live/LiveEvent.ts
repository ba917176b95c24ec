/**
 * The events of a run as JSON, for a browser or another service.
 *
 * **Details**
 *
 * - The events have the contents of `AgentEvent` without values of the program: an answer is the text that the model
 *   reads, and the end has no transcript. `of` creates them, `LiveEvent` is their schema, `encode` and `decode` convert
 *   them to and from JSON text.
 * - A reader of an older version should ignore tags that it does not know.
 *
 * **Gotchas**
 *
 * Arguments are sent as the model wrote them and are not redacted. Remove them with the option `show` of `AgentSse` if
 * readers must not see them.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { PlainPart } from "#domain/parts/Part"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { Usage } from "#src/agent/EndSchema"

const round = Schema.Int
const call = { callId: Schema.String, tool: Schema.String }

/**
 * How a run ended, without its transcript. `text` is the answer, or one sentence that explains why there is no answer.
 */
export const LiveEnd = Schema.Struct({
  _tag: Schema.Literals([
    "Answered",
    "Refused",
    "LimitReached",
    "LoopDetected",
    "NeedsPerson",
    "ModelFailed",
    "Interrupted"
  ]),
  text: Schema.String,
  usage: Usage
})
export type LiveEnd = typeof LiveEnd.Type

/** One event. */
export const LiveEvent = Schema.Union([
  /** The run continues after the stored `round`, 0 if none is stored. `calls` stored calls are not made again. */
  Schema.TaggedStruct("Resumed", { run: Schema.String, round, calls: Schema.Int }),
  Schema.TaggedStruct("RoundStarted", { round }),
  /** A piece of the model's text; adjacent pieces are joined for a slow reader. */
  Schema.TaggedStruct("Text", { round, delta: Schema.String }),
  /** All text of this round is invalid: the text of the round is sent again. */
  Schema.TaggedStruct("TextWithdrawn", { round }),
  /** The request to a model failed and is retried. Models are numbered from 0. */
  Schema.TaggedStruct("ModelRetried", {
    round,
    model: Schema.Int,
    attempt: Schema.Int,
    delayMillis: Schema.Finite,
    reason: Schema.String
  }),
  Schema.TaggedStruct("ModelFellBack", { round, model: Schema.Int, reason: Schema.String }),
  Schema.TaggedStruct("CallStarted", { round, ...call, arguments: Schema.Json }),
  Schema.TaggedStruct("AttemptStarted", { ...call, attempt: Schema.Int }),
  Schema.TaggedStruct("AttemptEnded", {
    ...call,
    attempt: Schema.Int,
    /** `Success`, or the class of the failure. */
    outcome: Schema.String,
    code: Schema.optionalKey(Schema.String),
    durationMillis: Schema.Finite
  }),
  Schema.TaggedStruct("RetryScheduled", { ...call, attempt: Schema.Int, delayMillis: Schema.Finite }),
  /** `requestId` and `approvalUrl` identify the request in the inbox; absent if the person is asked elsewhere. */
  Schema.TaggedStruct("PersonAsked", {
    ...call,
    sentence: Schema.String,
    requestId: Schema.optionalKey(Schema.String),
    approvalUrl: Schema.optionalKey(Schema.String)
  }),
  /** `text` is the envelope that the model reads. */
  Schema.TaggedStruct("CallEnded", {
    round,
    ...call,
    text: Schema.String,
    isFailure: Schema.Boolean,
    attempts: Schema.Int,
    traceId: Schema.String,
    decisions: Schema.Array(Schema.Struct({ stage: Schema.String, decision: Schema.String, reason: Schema.String })),
    parts: Schema.optionalKey(Schema.Array(PlainPart))
  }),
  Schema.TaggedStruct("HistoryRepaired", { round, changes: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("Compacted", {
    round,
    callIds: Schema.Array(Schema.String),
    tokensBefore: Schema.Finite,
    tokensAfter: Schema.Finite
  }),
  /** `answer` has the words of a person who let the run continue, which the model reads. */
  Schema.TaggedStruct("Escalated", {
    round,
    detail: Schema.String,
    isApproved: Schema.Boolean,
    answer: Schema.optionalKey(Schema.String)
  }),
  Schema.TaggedStruct("RoundEnded", { round, usage: Usage, model: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("Checkpointed", { run: Schema.String, round }),
  Schema.TaggedStruct("End", { end: LiveEnd })
])
export type LiveEvent = typeof LiveEvent.Type

/** Converts an event. Arguments that JSON cannot represent become null. */
export const of = (event: AgentEvent): LiveEvent => {
  switch (event._tag) {
    case "CallStarted":
      return { ...event, arguments: asJson(event.arguments) }
    case "AttemptEnded": {
      const { code, ...rest } = event
      return code === undefined ? rest : { ...rest, code }
    }
    case "CallEnded": {
      const { answer, callId, round, tool } = event
      const { attempts, decisions, isFailure, parts, text, traceId } = answer
      const shownParts = parts?.map(({ resourceUrl: _, ...part }) => part)
      return {
        _tag: "CallEnded",
        round,
        callId,
        tool,
        text,
        isFailure,
        attempts,
        traceId,
        decisions: decisions.map(({ decision, reason, stage }) => ({ stage, decision, reason })),
        ...(shownParts === undefined ? {} : { parts: shownParts })
      }
    }
    case "HistoryRepaired":
      return { ...event, changes: event.changes.map(({ _tag }) => _tag) }
    case "End":
      return { _tag: "End", end: { _tag: event.end._tag, text: textOf(event.end), usage: event.end.usage } }
    default:
      return event
  }
}

/** Returns the answer, or one sentence that explains why there is no answer. */
const textOf = (end: AgentEnd): string => {
  switch (end._tag) {
    case "Answered":
    case "Refused":
      return end.text
    case "LimitReached":
      return `The limit of ${end.limit} was reached.`
    case "LoopDetected":
    case "NeedsPerson":
      return end.detail
    case "ModelFailed":
      return `The request to the model failed: ${end.error.reason._tag}.`
    case "Interrupted":
      return "The run was interrupted."
  }
}

const asJson = (value: unknown): Schema.Json => {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null")
  } catch {
    return null
  }
}

/** Encodes an event as JSON text. */
export const encode = (event: LiveEvent): string => JSON.stringify(event)

const decodeText = Schema.decodeUnknownResult(Schema.fromJsonString(LiveEvent))

/** Reads an event from JSON text, or returns a description of the error. */
export const decode = (text: string): Result.Result<LiveEvent, string> =>
  Result.mapError(decodeText(text), ({ message }) => message)
