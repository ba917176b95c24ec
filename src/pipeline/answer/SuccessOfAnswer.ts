/** The success of a call whose answer was decoded and passed its checks. */
import { type Success, success } from "#domain/call/Outcome"
import type { Answer } from "#pipeline/call/Answer"
import type { Call } from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { ofAnswer } from "./SideEffectOfAnswer.ts"

/**
 * Returns the success with the decoded result, its parts and the size of the answer. The success is marked as accepted
 * if the answer does not prove that a write was done.
 */
export const of = (
  tool: CompiledTool,
  call: Pick<Call, "parts" | "result" | "statedFailure">,
  answer: Answer
): Success => {
  const { statedFailure } = call
  const returned = success(call.result, call.parts)
  const outcome = statedFailure === undefined ? returned : { ...returned, statedFailure }
  if (answer._tag === "Value") return outcome
  const bytes = "bytes" in answer ? { bytes: answer.bytes } : {}
  return tool.definition.access !== "read" && ofAnswer(tool.definition.access, answer) === "unknown"
    ? { ...outcome, ...bytes, isAccepted: true }
    : { ...outcome, ...bytes }
}
