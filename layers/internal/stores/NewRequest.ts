/** Creates approval requests with their times, and digests of bindings. */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import type { ApprovalQuestion } from "#services/Approvals"
import * as Duration from "effect/Duration"
import { hash } from "node:crypto"

/** Returns the digest by which a store finds a binding of any length. */
export const digestOf = (binding: string): string => hash("sha256", binding, "hex")

/** Returns `arguments` after a round trip through JSON; undefined if there are none. */
export const jsonOf = (value: unknown): ApprovalRequest["arguments"] => {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : (JSON.parse(text) as ApprovalRequest["arguments"]) // any JSON value
}

/** Creates a pending request. */
export const make = (id: string, opening: ApprovalQuestion, now: number): ApprovalRequest => {
  const lifetimeMillis = Math.ceil(Duration.toMillis(opening.lifetime))
  const args = jsonOf(opening.arguments)
  return {
    id,
    binding: digestOf(opening.binding),
    level: opening.level,
    reason: opening.reason,
    tool: opening.tool,
    sentence: opening.sentence,
    ...(opening.guidance === undefined ? {} : { guidance: opening.guidance }),
    ...(args === undefined ? {} : { arguments: args }),
    ...(opening.shown === undefined ? {} : { shown: opening.shown }),
    ...(opening.hidden === undefined || opening.hidden === 0 ? {} : { hidden: opening.hidden }),
    ...(opening.turn === undefined ? {} : { turn: opening.turn }),
    traceId: opening.traceId,
    ...(opening.callId === undefined ? {} : { callId: opening.callId }),
    ...(opening.run === undefined ? {} : { run: opening.run }),
    requestedAt: now,
    expiresAt: now + lifetimeMillis,
    lifetimeMillis,
    state: "pending"
  }
}
