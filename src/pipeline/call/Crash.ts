/**
 * Records that a function or service of the user failed, such as an escalation policy or an authorizer.
 *
 * The guard continues without that function and makes the safe choice. The call's record contains the redacted error.
 */
import {
  type PolicyDecision,
  type EscalationEvent,
  type EscalationPolicy,
  levelOf
} from "#domain/tool/EscalationPolicy"
import * as Call from "./Call.ts"

/** The longest line about an error, in characters. */
const maxLength = 300

/** Describes a thrown value in one line. Never throws, even if converting the value to a string throws. */
export const lineOf = (error: unknown): string => {
  try {
    return String(error).replace(/\s+/gu, " ").slice(0, maxLength)
  } catch {
    return "an error that cannot be printed"
  }
}

/** Records that a function of the user failed, and its error. */
export const note = (call: Call.Call, stage: string, what: string, error: unknown): void =>
  Call.decide(call, stage, "crashed", `${what} failed: ${lineOf(error)}`)

/** Returns the level that a policy gives to an event of this call. If the policy fails, records the error: `confirm`. */
export const askPolicy = (
  call: Call.Call,
  stage: string,
  policy: EscalationPolicy,
  event: EscalationEvent
): PolicyDecision => {
  const answer = levelOf(policy, event)
  if (answer.crash !== undefined) note(call, stage, "the escalation policy", answer.crash.error)
  return answer
}
