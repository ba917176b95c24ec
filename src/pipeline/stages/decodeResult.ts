/** [4.9] Decodes the answer with the tool's `success` schema. Violations become a SchemaMismatch with their paths. */
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Part from "#domain/parts/Part"
import * as Effect from "effect/Effect"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const decodeResult: Stage = {
  name: "decodeResult",
  make: Effect.succeed((tool) => (next) => {
    const { definition, result } = tool
    return (call) => {
      const { answer } = call
      if (answer === undefined || call.outcome !== undefined) return next(call)
      const isValue = answer._tag === "Value"
      if (!isValue && call.result === undefined) return next(call)
      const decoded = isValue
        ? result.checkValue(answer.value)
        : result.text === "json"
          ? result.decode(call.result)
          : result.checkValue(call.result)
      const broken = (text: string, fields?: ReadonlyArray<string>) => {
        const isRead = definition.access === "read"
        return next({
          ...call,
          outcome: refuse(call, isRead ? "invalid_result" : "done_unreadable", {
            detail: `The answer of ${definition.name} breaks its contract: ${text}`,
            fields,
            sideEffect: isRead ? "none" : "committed"
          })
        })
      }
      if (decoded._tag === "Failure") {
        const { fields, text } = ArgumentIssues.mismatch(ArgumentIssues.fromIssue(decoded.failure))
        return broken(text, fields)
      }
      call.trace.decoded = decoded.success
      const returned = "parts" in answer ? answer.parts : undefined
      if (returned === undefined) return next({ ...call, result: decoded.success })
      const parts = Part.plain(returned)
      if (parts._tag === "Failure") return broken(parts.failure)
      return next({ ...call, result: decoded.success, ...(parts.success.length === 0 ? {} : { parts: parts.success }) })
    }
  })
}
