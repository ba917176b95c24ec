/** [4.15] Takes secrets out of what a model reads, and stacks and host paths out of failures. */
import { Redactor } from "#services/Redactor"
import * as Effect from "effect/Effect"
import type { ModelStage } from "./ModelStage.ts"

export const redact: ModelStage<Redactor> = {
  name: "redact",
  make: Effect.map(Redactor, (redactor) => () => (reading) => {
    const { encode, input, json, outcome } = reading
    if (outcome._tag === "Failure") {
      return {
        ...reading,
        outcome: { ...outcome, failure: redactor.failure(outcome.failure, input) },
        encode: (value) => redactor.data(encode(value))
      }
    }
    if (json === undefined) return { ...reading, encode: (value) => redactor.data(encode(value)) }
    const encoded = encode(outcome.value)
    const shown = redactor.data(encoded)
    return { ...reading, json: shown === encoded ? json : undefined, encode: () => shown }
  })
}
