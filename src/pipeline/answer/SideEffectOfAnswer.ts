/** [3.3] The side effect of a call whose answer arrived but cannot be used. */
import type { SideEffect } from "#domain/failure/Failure"
import type { Access } from "#domain/tool/Access"
import type { Answer } from "#pipeline/call/Answer"

/** A complete answer is evidence that a write was done, unless its status is 202: accepted, and perhaps done later. */
export const ofAnswer = (access: Access, answer: Answer): SideEffect => {
  if (access === "read") return "none"
  return answer._tag === "Response" && answer.status === 202 ? "unknown" : "committed"
}
