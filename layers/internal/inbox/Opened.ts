/** Makes a new request of what a person is to be asked: fresh id, digest, times. */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import type { Opening } from "#services/Approvals"
import * as Duration from "effect/Duration"
import { hash, randomBytes } from "node:crypto"

/** What the store keeps of a binding: as long however long the text is. */
export const digestOf = (binding: string): string => hash("sha256", binding, "hex")

/** What can be no id is asked of no database: PostgreSQL fails on some texts. */
export const isRequestId = (id: string): boolean => /^[0-9a-f]{32}$/u.test(id)

/** `arguments` as JSON holds them; absent where there are none. */
const jsonOf = (value: unknown): ApprovalRequest["arguments"] => {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : (JSON.parse(text) as ApprovalRequest["arguments"])
}

export const opened = (opening: Opening, now: number): ApprovalRequest => {
  const lifetimeMillis = Math.ceil(Duration.toMillis(opening.lifetime))
  const args = jsonOf(opening.arguments)
  return {
    id: randomBytes(16).toString("hex"),
    binding: digestOf(opening.binding),
    level: opening.level,
    reason: opening.reason,
    tool: opening.tool,
    sentence: opening.sentence,
    ...(args === undefined ? {} : { arguments: args }),
    ...(opening.turn === undefined ? {} : { turn: opening.turn }),
    traceId: opening.traceId,
    requestedAt: now,
    expiresAt: now + lifetimeMillis,
    lifetimeMillis,
    state: "pending"
  }
}
