/**
 * Decides whether a tool enforces its contract in a conversation [2.2].
 *
 * **Details**
 *
 * - A share selects conversations by a hash of their tenant, principal and id. A conversation is on the same side in
 *   every process and for every tool with the same share, and a larger share contains the conversations of a smaller one.
 * - With a share below 1, a call without a conversation only advises: a call outside of a turn, or in a turn whose host
 *   named no conversation.
 */
import { hash } from "#domain/text/Hash"
import type { Enforcement, EnforcementMode } from "#domain/tool/PolicyInput"
import { conversationKey, type Turn } from "./Turn.ts"

/** The number of values of the hash. */
const hashes = 2 ** 32

/** Returns the mode for a call of a turn. */
export const modeOf = (enforcement: Enforcement, turn: Turn | undefined): EnforcementMode => {
  if (typeof enforcement === "string") return enforcement
  const { share } = enforcement
  if (!mayAdvise(enforcement)) return "enforce"
  return hasConversation(turn) && hash(conversationKey(turn)) < share * hashes ? "enforce" : "advise"
}

/** Returns the side of the call's conversation; undefined if the tool has no share, or the call no conversation. */
export const sideOf = (enforcement: Enforcement, turn: Turn | undefined): EnforcementMode | undefined =>
  typeof enforcement === "string" || !hasConversation(turn) ? undefined : modeOf(enforcement, turn)

/** True if at least some calls only advise, so that the tool's results may violate its contract. */
export const mayAdvise = (enforcement: Enforcement): boolean =>
  typeof enforcement === "string" ? enforcement === "advise" : enforcement.share < 1

const hasConversation = (turn: Turn | undefined): turn is Turn => turn !== undefined && turn.isAlone !== true
