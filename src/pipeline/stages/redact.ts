/** [4.15] Removes secrets from all outcomes that a model reads, and stacks and host paths from failures. */
import { Redactor } from "#services/Redactor"
import * as Failure from "#domain/failure/Failure"
import * as Part from "#domain/parts/Part"
import * as Effect from "effect/Effect"
import { inSteps, isLarge } from "#pipeline/call/LargeData"
import type { ModelStage } from "#pipeline/call/ModelStage"

/**
 * Returns the failure, without `next` if that contains a secret: a secret must not be shown, and a redacted `next`
 * would not work.
 */
const withoutSecretNext = (redactor: Redactor["Service"], failure: Failure.Failure): Failure.Failure => {
  if (failure._tag !== "PartialData" || failure.next === undefined) return failure
  if (redactor.data(failure.next) === failure.next) return failure
  const { next: _, ...shown } = failure
  return Failure.make("PartialData", shown.code, {
    ...shown,
    hint: "The rest cannot be fetched from here. Ask for a smaller part instead."
  })
}

/** Returns the failure with the fields of a declared refusal redacted like a result. */
const withoutSecretFields = (redactor: Redactor["Service"], failure: Failure.Failure): Failure.Failure => {
  const refusal = Failure.refusalOf(failure)
  return refusal === undefined ? failure : Failure.changed(failure, { refusal: redactor.data(refusal) })
}

/** Redacts the texts of parts. A part whose address contains a secret is replaced by a note. */
const withoutSecrets = (redactor: Redactor["Service"], parts: ReadonlyArray<Part.PlainPart>) => {
  const clean = (text: string): string => String(redactor.data(text))
  return parts.map((part): Part.PlainPart => {
    if (part.type === "text") return { ...part, text: clean(part.text) }
    const { fileName } = part
    if (Part.isAddress(part) && clean(part.data) !== part.data) {
      return { type: "text", text: `[${part.mediaType}: its address contains a secret and is not shown]` }
    }
    const named = fileName === undefined ? part : { ...part, fileName: clean(fileName) }
    const text = Part.textOf(part)
    const shown = text === undefined ? text : clean(text)
    return shown === undefined || shown === text ? named : Part.withText(named, shown)
  })
}

export const redact: ModelStage<Redactor> = {
  name: "redact",
  make: Effect.map(Redactor, (redactor) => (tool) => (unredacted) => {
    const { encode, input, isDecoded, json, outcome } = unredacted
    const reading =
      unredacted.parts === undefined ? unredacted : { ...unredacted, parts: withoutSecrets(redactor, unredacted.parts) }
    const shape = isDecoded ? tool.result.encoded : undefined
    if (outcome._tag === "Failure") {
      const failure = withoutSecretFields(redactor, redactor.failure(outcome.failure, input))
      return {
        ...reading,
        outcome: { ...outcome, failure: withoutSecretNext(redactor, failure) },
        encode: (value) => redactor.data(encode(value))
      }
    }
    if (json === undefined) return { ...reading, encode: (value) => redactor.data(encode(value), shape) }
    const encoded = encode(outcome.value)
    const shownAs = (shown: unknown) => ({
      ...reading,
      json: shown === encoded ? json : undefined,
      encode: () => shown
    })
    return isLarge(json.length) && redactor.dataInSteps !== undefined
      ? Effect.map(inSteps(redactor.dataInSteps(encoded)), shownAs)
      : shownAs(redactor.data(encoded, shape))
  })
}
