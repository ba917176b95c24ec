/** Decisions of people on the requests of durable runs. */
import * as Schema from "effect/Schema"

/** The decision that a waiting run receives. */
export const DurableDecision = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Approved"), by: Schema.String }),
  /** `reason` is what the model reads. May be empty. */
  Schema.Struct({ _tag: Schema.Literal("Denied"), by: Schema.String, reason: Schema.String }),
  /** The request was decided where it was created, so the run asks there again. */
  Schema.Struct({ _tag: Schema.Literal("AskAgain") })
])
export type DurableDecision = typeof DurableDecision.Type
