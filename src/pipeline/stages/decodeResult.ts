/**
 * [4.9] Decodes the answer with the tool's `success` schema. Violations become a SchemaMismatch with their paths.
 *
 * If an answer breaks the schema and states a failure, the stated failure is passed on. If the answer of a write states
 * a failure, the failure is passed on even if the answer conforms to the schema: the action is never reported as done
 * [3.3].
 */
import { statedFailureIn } from "#domain/answers/HiddenFailure"
import { mayStateFailure } from "#domain/answers/StatedError"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as Part from "#domain/parts/Part"
import * as Effect from "effect/Effect"
import { ofAnswer } from "#pipeline/answer/SideEffectOfAnswer"
import * as Answer from "#pipeline/call/Answer"
import * as Call from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const decodeResult: Stage = {
  name: "decodeResult",
  question: "does the answer match the tool's contract",
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
        const sideEffect = ofAnswer(definition.access, answer)
        return next({
          ...call,
          outcome: {
            ...refuse(call, sideEffect === "committed" ? "done_unreadable" : "invalid_result", {
              detail: `The answer of ${definition.name} breaks its contract: ${text}`,
              fields,
              sideEffect
            }),
            isAnswered: true
          }
        })
      }
      const mayState = decoded._tag === "Failure" || (definition.access !== "read" && mayStateFailure(call.result))
      const stated = mayState && !isValue ? statedFailureIn(call.result) : undefined
      if (stated !== undefined) {
        Call.decide(call, "decodeResult", "stated failure", stated.error.message)
        return next({ ...call, answer: Answer.stated(stated.error, answer) })
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
