/** [4.2] Parses arguments within limits. Reports where they are invalid, or that the model's output was cut. */
import type { Outcome } from "#domain/call/Outcome"
import * as JsonText from "#domain/json/JsonText"
import * as ValueLimits from "#domain/json/ValueLimits"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { inSteps, isLarge } from "#pipeline/call/LargeData"
import { refuse } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"

export const parse: Stage = {
  name: "parse",
  question: "can the arguments be parsed",
  make: Effect.succeed((tool) => (next) => (call) => {
    if (call.isCut) return Effect.succeed(cut(call, CallArguments.textOf(call.input)))
    if (call.origin !== "text") {
      const violation =
        call.origin === "parsed" ? ValueLimits.violation(call.input, tool.definition.argumentLimits) : undefined
      return violation === undefined ? next(call) : Effect.succeed(unacceptable(call, violation))
    }
    const text = String(call.input)
    const { argumentLimits } = tool.definition
    return isLarge(text.length)
      ? Effect.flatMap(inSteps(JsonText.parseArgumentsInSteps(text, argumentLimits)), (parsed) =>
          read(call, text, parsed, next)
        )
      : read(call, text, JsonText.parseArguments(text, argumentLimits), next)
  })
}

type Parsed = ReturnType<typeof JsonText.parseArguments>

const read = (call: Call.Call, text: string, parsed: Parsed, next: Next): Effect.Effect<Outcome> => {
  if (parsed._tag === "Success") {
    if (parsed.success.doubleEncoded) Call.decide(call, "parse", "decoded twice", "a JSON string held the object")
    const { duplicate } = parsed.success
    if (duplicate !== undefined && call.tool.definition.access !== "read") {
      return Effect.succeed(duplicateKey(call, duplicate))
    }
    return next({ ...call, input: parsed.success.value })
  }
  const error = parsed.failure
  if (error._tag === "Truncated") return Effect.succeed(cut(call, text))
  Call.decide(call, "parse", "refused", error.message)
  return Effect.succeed(
    error._tag === "Invalid"
      ? refuse(call, "invalid_json", {
          detail: `The arguments cannot be read: ${error.message}.`,
          hint: "Send the arguments again as one valid JSON object."
        })
      : refuse(call, "arguments_too_large", { detail: error.message })
  )
}

const unacceptable = (call: Call.Call, { _tag, message }: ValueLimits.LimitViolation) => {
  Call.decide(call, "parse", "refused", message)
  return _tag === "Forbidden"
    ? refuse(call, "invalid_arguments", {
        detail: `Please rewrite the input with valid arguments. Errors: ${message}`
      })
    : refuse(call, "arguments_too_large", { detail: `The arguments cannot be read: ${message}.` })
}

/** Refuses a write with a duplicate key. A parser would keep the last value, but that is too ambiguous for a write. */
const duplicateKey = (call: Call.Call, path: string) => {
  Call.decide(call, "parse", "refused", `${path} is given twice`)
  return refuse(call, "invalid_arguments", {
    detail: `Please rewrite the input with valid arguments. Errors: ${path}: given twice`,
    fields: [path]
  })
}

const cut = (call: Call.Call, text: string) => {
  const parts = Math.max(200, Math.floor(text.length / 2))
  Call.decide(call, "parse", "refused", "the arguments are cut off")
  return refuse(call, "truncated_arguments", {
    detail: `The arguments are cut off after ${text.length} characters.`,
    hint: `Your output was cut; send it in parts of at most ${parts} characters.`
  })
}
