/**
 * What is noted of a function or service of the user's that broke: never an accident of the tool.
 *
 * The guard goes on without it, on the safe side; the call log says what broke, and how. Its texts are redacted there.
 */
import { type Answer, type EscalationEvent, type EscalationPolicy, levelOf } from "#domain/tool/EscalationPolicy"
import * as Call from "./Call.ts"

/** Longest line about an error. */
const longest = 300

/** One line about whatever was thrown. Total: an error may refuse to be written. */
export const lineOf = (error: unknown): string => {
  try {
    return String(error).replace(/\s+/gu, " ").slice(0, longest)
  } catch {
    return "an error that cannot be written"
  }
}

/** Notes that a function of the user's broke, and with what. */
export const note = (call: Call.Call, stage: string, what: string, error: unknown): void =>
  Call.decide(call, stage, "crashed", `${what} failed: ${lineOf(error)}`)

/** Asks a policy about an event of this call; one that breaks is noted, and a person is asked. */
export const askPolicy = (call: Call.Call, stage: string, policy: EscalationPolicy, event: EscalationEvent): Answer => {
  const answer = levelOf(policy, event)
  if (answer.crash !== undefined) note(call, stage, "the escalation policy", answer.crash.error)
  return answer
}
