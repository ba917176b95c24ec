/** Returns the outcome of a call that a person has settled as done [10.5]. */
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { type Outcome, success } from "#domain/call/Outcome"
import type { Call } from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import * as StoredOutcome from "./StoredOutcome.ts"

/**
 * Returns the result that the person gave, decoded by the tool and marked as an earlier result. If the person gave no
 * result, or the tool cannot read it, returns a failure that reports the action as done.
 */
export const done = (call: Call, { settlement }: UnknownOutcome): Outcome => {
  const { by = "", result } = settlement ?? {}
  const committed = (detail: string) => ({ detail, sideEffect: "committed" }) as const
  const found = `${by} found that ${call.name} was done`
  if (result === undefined) return { ...refuse(call, "done_without_result", committed(`${found}.`)), recalled: true }
  const revived = StoredOutcome.revived(call, { ...success(result), isEncoded: true })
  if (revived?._tag === "Success") return { ...revived, idempotent: true }
  const why = `${found}; the given result does not match the contract of the tool.`
  return { ...refuse(call, "done_unreadable", committed(why)), recalled: true }
}
