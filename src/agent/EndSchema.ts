/** The ends and the usage of a run as schemas, so that they can be stored. */
import { Failure, PartialData } from "#domain/failure/Failure"
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentEnd } from "./AgentEnd.ts"

const ModelUsage = Schema.Struct({
  model: Schema.String,
  rounds: Schema.Int,
  inputTokens: Schema.Finite,
  cachedInputTokens: Schema.Finite,
  cacheWriteTokens: Schema.Finite,
  outputTokens: Schema.Finite,
  cost: Schema.Finite,
  isPriced: Schema.Boolean
})

/** The usage of a run. */
export const Usage = Schema.Struct({
  rounds: Schema.Int,
  calls: Schema.Int,
  attempts: Schema.Int,
  inputTokens: Schema.Finite,
  outputTokens: Schema.Finite,
  cost: Schema.Finite,
  /** Absent in runs that were stored before models were recorded. */
  byModel: Schema.Array(ModelUsage).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})

const state = {
  transcript: Prompt.Prompt,
  usage: Usage
}

/** The model answered without calls. */
export const Answered = Schema.Struct({
  _tag: Schema.Literal("Answered"),
  text: Schema.String,
  isCut: Schema.Boolean,
  ...state
})

/** The model, or its provider's filter, refused to answer. */
export const Refused = Schema.Struct({ _tag: Schema.Literal("Refused"), text: Schema.String, ...state })

/** The schema of every end of a run. */
export const EndSchema = Schema.Union([
  Answered,
  Refused,
  Schema.Struct({
    _tag: Schema.Literal("LimitReached"),
    limit: Schema.Literals(["rounds", "tokens", "time", "cost"]),
    ...state
  }),
  Schema.Struct({
    _tag: Schema.Literal("LoopDetected"),
    code: Schema.Literal("loop_detected"),
    detail: Schema.String,
    ...state
  }),
  Schema.Struct({
    _tag: Schema.Literal("NeedsPerson"),
    level: Schema.Literals(["auto", "inform", "confirm", "block"]),
    detail: Schema.String,
    failure: Failure,
    error: Schema.optionalKey(AiError.AiError),
    ...state
  }),
  Schema.Struct({
    _tag: Schema.Literal("ModelFailed"),
    error: AiError.AiError,
    isContextLimit: Schema.Boolean,
    ...state
  }),
  Schema.Struct({ _tag: Schema.Literal("Interrupted"), ...state })
])

/**
 * Returns an end that the schema can encode: the data of a partial result, which has the tool's own type, becomes JSON.
 */
export const writable = (end: AgentEnd): AgentEnd =>
  end._tag === "NeedsPerson" && end.failure._tag === "PartialData"
    ? {
        ...end,
        failure: new PartialData({ ...end.failure, data: asJson(end.failure.data), next: asJson(end.failure.next) })
      }
    : end

const asJson = (value: unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(value ?? null))
  } catch {
    return null
  }
}
