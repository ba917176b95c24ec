/** [3.3] Determines the side effect of a call whose answer arrived. */
import type { SideEffect } from "#domain/failure/Failure"
import type { Access } from "#domain/tool/Access"
import type { Answer } from "#pipeline/call/Answer"

/**
 * Returns `none` for a read. A complete answer proves that a write was done, unless its status is 202 (accepted, but
 * perhaps not done yet): the side effect is then `unknown`.
 */
export const ofAnswer = (access: Access, answer: Answer): SideEffect => {
  if (access === "read") return "none"
  return answer._tag === "Response" && answer.status === 202 ? "unknown" : "committed"
}
