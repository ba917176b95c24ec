/** A call ends with a result of the tool's type, or with one of the failures that its definition allows. */
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import * as Ending from "#kit/fuzz/play/Ending"
import type { Subject } from "#kit/fuzz/cases/Subject"
import * as Schema from "effect/Schema"
import type { Promised } from "./Promised.ts"

/** Nothing leaves the typed channel, and each failure crosses a border of processes. */
export const typed: Promised = (subject, _, { calls }) => {
  for (const call of calls) {
    const ending = Ending.of(call)
    const problem = ending === undefined ? undefined : problemOf(subject, ending)
    if (problem !== undefined) return `The call ${call.id} ${problem}`
  }
  return undefined
}

const problemOf = (subject: Subject, ending: Ending.Ending): string | undefined => {
  switch (ending._tag) {
    case "Escaped":
      return `ended with ${ending.how}.`
    case "Success":
      return subject.isResult(ending.value) || ending.usedFallback !== undefined || isAlternative(subject, ending.value)
        ? undefined
        : "succeeded with a value that is no result of the tool."
    case "Failure": {
      const { failure } = ending
      const { checks, fallbacks, salvage } = subject.definition
      const mayJudge = checks.length > 0 || fallbacks.length > 0
      if (failure._tag === "SemanticGarbage" && !mayJudge)
        return "failed with SemanticGarbage, and the tool has no checks."
      if (failure._tag === "PartialData" && !mayJudge && salvage === undefined) {
        return "failed with PartialData, and the tool has neither checks nor `salvage`."
      }
      return travels(subject, ending)
        ? undefined
        : `failed with ${Ending.inWords(ending)}, which cannot be sent and read again.`
    }
  }
}

const isAlternative = ({ definition }: Subject, value: unknown): boolean =>
  definition.fallbacks.some(({ tool }) => {
    try {
      return Schema.is(Schema.toType(compiledOf(tool).definition.success))(value)
    } catch {
      return false
    }
  })

const travels = ({ tool }: Subject, { failure }: Extract<Ending.Ending, { readonly _tag: "Failure" }>): boolean => {
  if (failure._tag === "PartialData") return true // its data may be an alternative's
  try {
    const sent = JSON.stringify(Schema.encodeUnknownSync(Schema.toCodecJson(tool.failureSchema))(failure))
    const read = Schema.decodeUnknownSync(Schema.toCodecJson(tool.failureSchema))(JSON.parse(sent)) as typeof failure
    return read._tag === failure._tag && read.code === failure.code && read.sideEffect === failure.sideEffect
  } catch {
    return false
  }
}

/** No text of a case has changed what all objects inherit. */
export const unpolluted: Promised = () => {
  const prototype = Object.prototype as { polluted?: unknown }
  if (prototype.polluted === undefined) return undefined
  delete prototype.polluted
  return "The prototype of all objects was changed by a text."
}
