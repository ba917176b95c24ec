/** [4.15] Takes secrets out of what a model reads, and stacks and host paths out of failures. */
import { Redactor } from "#services/Redactor"
import * as Effect from "effect/Effect"
import type { ModelStage } from "./ModelStage.ts"

export const redact: ModelStage<Redactor> = {
  name: "redact",
  make: Effect.map(Redactor, (redactor) => () => (reading) => {
    const { encode, input, outcome } = reading
    const isClean = outcome._tag === "Success"
    return {
      ...reading,
      outcome: isClean ? outcome : { ...outcome, failure: redactor.failure(outcome.failure, input) },
      encode: (value) => redactor.data(encode(value))
    }
  })
}
