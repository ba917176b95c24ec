/** Decisions of people on the requests of durable runs. */
import * as Schema from "effect/Schema"
import { PersonAnswer } from "./PersonAnswer.ts"

/** The decision that a waiting run receives. */
export const DurableDecision = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Approved"), by: Schema.String }),
  /** A denial. The model reads `reason`, which may be empty. */
  Schema.Struct({ _tag: Schema.Literal("Denied"), by: Schema.String, reason: Schema.String }),
  /** An answer in words, which the model reads. A call is not made; a stopped run continues. */
  Schema.Struct({ _tag: Schema.Literal("Answered"), ...PersonAnswer.fields }),
  /** The request was decided in the store that created it. The run asks this store again for the decision. */
  Schema.Struct({ _tag: Schema.Literal("AskAgain") })
])
export type DurableDecision = typeof DurableDecision.Type
