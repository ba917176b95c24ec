/** Words a failed call for the person who reads of it, without secrets. */
import * as Incident from "#domain/approval/Incident"
import type { Failed } from "#domain/call/Outcome"
import * as DeclaredError from "#domain/classification/DeclaredError"
import { changed, type Failure } from "#domain/failure/Failure"
import type { Redactor } from "#services/Redactor"
import type { Call } from "./Call.ts"

/**
 * Returns the sentence about the failure of a tool. If the redactor throws, details are left out, because they may
 * contain a secret.
 */
export const of = (
  redactor: Redactor["Service"],
  tool: string,
  { trace }: Call,
  { failure, original }: Pick<Failed, "failure" | "original">
): string => {
  const redacted = (one: Failure): Failure => {
    try {
      return changed(one, { detail: redactor.text(one.detail + addressIn(one)) })
    } catch {
      return changed(one, { detail: "" })
    }
  }
  return Incident.failed({
    tool,
    failure: redacted(failure),
    original: original === undefined ? undefined : redacted(original),
    attempts: trace.attempts.length
  })
}

/** Returns a sentence with the address that an answered error gives to people; empty if it gives none. */
const addressIn = ({ _tag, cause }: Failure): string => {
  const url = _tag === "HumanReview" ? DeclaredError.of(cause)?.approvalUrl : undefined
  return url === undefined ? "" : ` Address of the tool: ${url}`
}
