/** Makes failures: class, default hint and side effect come from the table of codes. */
import * as Failure from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"
import { failed, type Failed } from "#domain/call/Outcome"
import type * as Duration from "effect/Duration"
import type { Call } from "./Call.ts"

export { changed, withoutStack } from "#domain/failure/Failure"

export interface RefusalOptions {
  /** One line: what happened. */
  readonly detail: string
  /** What to do next; default: the code's own. */
  readonly hint?: string | undefined
  readonly tag?: Failure.CallFailure["_tag"] | undefined
  readonly sideEffect?: Failure.SideEffect | undefined
  readonly fields?: ReadonlyArray<string> | undefined
  readonly retryAfter?: Duration.Duration | undefined
  readonly approvalUrl?: string | undefined
  readonly cause?: unknown
}

const callClasses = {
  ToolArgError: Failure.ToolArgError,
  SchemaMismatch: Failure.SchemaMismatch,
  Transient: Failure.Transient,
  Resource: Failure.Resource,
  Permanent: Failure.Permanent,
  HumanReview: Failure.HumanReview
} as const

/** The class of a failure that the guard makes itself. The classes of verdicts come from checks alone; here they are `Permanent`. */
export const classOf = (tag: Failure.FailureTag) =>
  tag === "PartialData" || tag === "SemanticGarbage" ? Failure.Permanent : callClasses[tag]

/** The call that a failure is of. */
export type Named = Pick<Call, "name" | "traceId">

/** A failure of the call with one of the guard's own codes. */
export const failure = (call: Named, code: FailureCode, options: RefusalOptions): Failure.CallFailure => {
  const row = codes[code]
  const Class = classOf(options.tag ?? row.tag)
  return Failure.withoutStack(
    () =>
      new Class({
        tool: call.name,
        code,
        detail: options.detail,
        hint: options.hint ?? row.hint,
        sideEffect: options.sideEffect ?? "none",
        traceId: call.traceId,
        ...(options.fields === undefined || options.fields.length === 0 ? {} : { fields: options.fields }),
        ...(options.retryAfter === undefined ? {} : { retryAfter: options.retryAfter }),
        ...(options.approvalUrl === undefined ? {} : { approvalUrl: options.approvalUrl }),
        ...(options.cause === undefined ? {} : { cause: options.cause })
      })
  )
}

/** The outcome of a call that did not come to its end. Once the handler of a write was started, nobody knows what it did. */
export const interrupted = (call: Call): Failed =>
  call.trace.isStarted && call.tool.definition.access !== "read"
    ? refuse(call, "outcome_unknown", { detail: `${call.name} was interrupted while it ran.`, sideEffect: "unknown" })
    : refuse(call, "interrupted", { detail: `${call.name} was interrupted.` })

/** The outcome of a call that ends with one of the guard's own codes. */
export const refuse = (call: Named, code: FailureCode, options: RefusalOptions): Failed =>
  failed(failure(call, code, options))
