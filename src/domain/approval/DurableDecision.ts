/** What a person decided of a question that a durable run waits with. */
import * as Schema from "effect/Schema"

export const DurableDecision = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Approved"), by: Schema.String }),
  /** `reason` is what the model is told of it; may be empty. */
  Schema.Struct({ _tag: Schema.Literal("Denied"), by: Schema.String, reason: Schema.String }),
  /** It was decided where it was asked: the run asks there again. */
  Schema.Struct({ _tag: Schema.Literal("AskAgain") })
])
export type DurableDecision = typeof DurableDecision.Type
