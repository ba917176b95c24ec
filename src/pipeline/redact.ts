/** [4.15] Takes secrets out of what a model reads, and stacks and host paths out of failures. */
import { Redactor } from "#services/Redactor"
import { type Failure, PartialData } from "#domain/Failure"
import * as Effect from "effect/Effect"
import type { ModelStage } from "./ModelStage.ts"
import { withoutStack } from "./Refusal.ts"

/** A continuation that holds a secret cannot be shown, and one that was changed would not continue. */
const withoutSecretNext = (redactor: Redactor["Service"], failure: Failure): Failure => {
  if (failure._tag !== "PartialData" || failure.next === undefined) return failure
  if (redactor.data(failure.next) === failure.next) return failure
  const { next: _, ...shown } = failure
  return withoutStack(
    () => new PartialData({ ...shown, hint: "The rest cannot be fetched from here. Ask for a smaller part instead." })
  )
}

export const redact: ModelStage<Redactor> = {
  name: "redact",
  make: Effect.map(Redactor, (redactor) => (tool) => (reading) => {
    const { encode, input, isDecoded, json, outcome } = reading
    const shape = isDecoded ? tool.result.encoded : undefined
    if (outcome._tag === "Failure") {
      const failure = redactor.failure(outcome.failure, input)
      return {
        ...reading,
        outcome: { ...outcome, failure: withoutSecretNext(redactor, failure) },
        encode: (value) => redactor.data(encode(value))
      }
    }
    if (json === undefined) return { ...reading, encode: (value) => redactor.data(encode(value), shape) }
    const encoded = encode(outcome.value)
    const shown = redactor.data(encoded, shape)
    return { ...reading, json: shown === encoded ? json : undefined, encode: () => shown }
  })
}
