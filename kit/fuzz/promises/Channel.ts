/** Checks that a call ends with a result of the tool's type, or with a failure that its definition allows. */
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as CallOutcome from "#kit/fuzz/simulation/CallOutcome"
import type { Subject } from "#kit/fuzz/cases/Subject"
import * as Schema from "effect/Schema"
import type { PromiseCheck } from "./PromiseCheck.ts"

/** Checks that every outcome is typed, and that every failure except `PartialData` survives serialisation. */
export const typed: PromiseCheck = (subject, _, { calls }) => {
  for (const call of calls) {
    const outcome = CallOutcome.of(call)
    const problem = outcome === undefined ? undefined : problemOf(subject, outcome)
    if (problem !== undefined) return `The call ${call.id} ${problem}`
  }
  return undefined
}

const problemOf = (subject: Subject, outcome: CallOutcome.CallOutcome): string | undefined => {
  switch (outcome._tag) {
    case "Untyped":
      return `ended with ${outcome.description}.`
    case "Success":
      return subject.isResult(outcome.value) ||
        outcome.usedFallback !== undefined ||
        (outcome.isRaw === true && subject.definition.enforce === "advise") ||
        isFallbackResult(subject, outcome.value)
        ? undefined
        : "succeeded with a value that is not a result of the tool."
    case "Failure": {
      const { failure } = outcome
      const { checks, fallbacks, salvage } = subject.definition
      const mayJudge = checks.length > 0 || fallbacks.length > 0
      if (failure._tag === "SemanticGarbage" && !mayJudge)
        return "failed with SemanticGarbage, but the tool has no checks."
      if (failure._tag === "PartialData" && !mayJudge && salvage === undefined) {
        return "failed with PartialData, but the tool has neither checks nor `salvage`."
      }
      return isSerialisable(subject, outcome)
        ? undefined
        : `failed with ${CallOutcome.describe(outcome)}, which does not survive serialisation.`
    }
  }
}

const isFallbackResult = ({ definition }: Subject, value: unknown): boolean =>
  definition.fallbacks.some(({ tool }) => {
    try {
      return Schema.is(Schema.toType(compiledOf(tool).definition.success))(value)
    } catch {
      return false
    }
  })

/** True if a failure is the same after encoding and decoding. */
const isSerialisable = (
  { tool }: Subject,
  { failure }: Extract<CallOutcome.CallOutcome, { readonly _tag: "Failure" }>
): boolean => {
  if (failure._tag === "PartialData") return true // its data may come from a fallback
  try {
    const sent = JSON.stringify(Schema.encodeUnknownSync(Schema.toCodecJson(tool.failureSchema))(failure))
    // the schema describes the eight failures
    const read = Schema.decodeUnknownSync(Schema.toCodecJson(tool.failureSchema))(JSON.parse(sent)) as typeof failure
    return read._tag === failure._tag && read.code === failure.code && read.sideEffect === failure.sideEffect
  } catch {
    return false
  }
}

/**
 * Checks that no text has modified `Object.prototype`. Undoes a modification, so that it does not affect the next case.
 */
export const unpolluted: PromiseCheck = () => {
  const prototype = Object.prototype as { polluted?: unknown } // hostile texts try to set this property
  if (prototype.polluted === undefined) return undefined
  delete prototype.polluted
  return "A text modified Object.prototype."
}
