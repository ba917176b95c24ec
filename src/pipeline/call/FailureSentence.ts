/** Describes a failed call to a person in one sentence, without secrets. */
import * as Incident from "#domain/approval/Incident"
import type { FailedOutcome } from "#domain/call/Outcome"
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
  { failure, original }: Pick<FailedOutcome, "failure" | "original">
): string => {
  const redacted = (one: Failure): Failure => {
    try {
      return changed(one, { detail: redactor.text(detailWithLink(one)) })
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

/** Returns the detail of a failure, and the link to the tool's own system if an answered error contains one. */
const detailWithLink = ({ _tag, cause, detail }: Failure): string => {
  const url = _tag === "HumanReview" ? DeclaredError.of(cause)?.approvalUrl : undefined
  if (url === undefined) return detail
  return `${detail}${/[.!?\u2026]$/u.test(detail) ? "" : "."} Link from the tool: ${url}`
}
