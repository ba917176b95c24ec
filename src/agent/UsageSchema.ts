/** The usage of a run, as a schema. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

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
