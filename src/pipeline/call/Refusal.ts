/**
 * Creates the guard's own failures. The class and the default hint come from the table of codes; the default side
 * effect is `none`.
 */
import * as Failure from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"
import { failed, type FailedOutcome } from "#domain/call/Outcome"
import type { Call } from "./Call.ts"

export { changed } from "#domain/failure/Failure"

interface RefusalOptions extends Omit<Failure.Details, "tool" | "traceId" | "data" | "next"> {
  /** Default: the class of the code. */
  readonly tag?: Failure.CallFailure["_tag"] | undefined
  /**
   * The tool's own code, which replaces the guard's code in the failure. The default hint still comes from the guard's
   * code.
   */
  readonly ownCode?: string | undefined
}

/** The fields of a call that a failure repeats. */
type CallFields = Pick<Call, "name" | "traceId">

/** Returns a failure with one of the guard's own codes. */
const failure = (
  { name, traceId }: CallFields,
  code: FailureCode,
  { ownCode, tag, ...details }: RefusalOptions
): Failure.CallFailure =>
  Failure.make(tag ?? tagOf(code), ownCode ?? code, {
    ...details,
    hint: details.hint ?? codes[code].hint,
    tool: name,
    traceId
  })

/** Returns the class of a code. A refusal has no data, so it is never partial. */
const tagOf = (code: FailureCode): Failure.CallFailure["_tag"] => {
  const { tag } = codes[code]
  return tag === "PartialData" ? "Permanent" : tag
}

/** True if a write may have acted, because its handler was started here or by an earlier process. */
export const mayHaveActed = ({ tool, trace }: Call): boolean =>
  (trace.isStarted || trace.mayHaveRun) && tool.definition.access !== "read"

/** Returns the outcome of an interrupted call. If the handler of a write may have been started, its effect is unknown. */
export const interrupted = (call: Call): FailedOutcome =>
  mayHaveActed(call)
    ? refuse(call, "outcome_unknown", {
        detail: `${call.name} was interrupted ${call.trace.isStarted ? "while it ran" : "before it was known what an earlier process did"}.`,
        sideEffect: "unknown"
      })
    : refuse(call, "interrupted", { detail: `${call.name} was interrupted.` })

/** Returns the outcome of a write that is refused for a reason, although an earlier process may have done the write. */
export const undetermined = (call: Call, reason: string): FailedOutcome =>
  refuse(call, "outcome_unknown", {
    detail: `${call.name} may have been done before its process ended. ${reason}`,
    sideEffect: "unknown"
  })

/** Returns an outcome with one of the guard's own codes. */
export const refuse = (call: CallFields, code: FailureCode, options: RefusalOptions): FailedOutcome =>
  failed(failure(call, code, options))

/** The Permanent codes with which the guard refuses an attempt for a temporary reason. */
const temporaryRefusals: ReadonlySet<string> = new Set<FailureCode>(["halted", "store_unavailable"])

/**
 * Returns `isOpen` for the outcome of a write whose effect is unknown. It is true if the upstream honours the key and the
 * guard could not make all attempts, for example because the retry quota was used up or a store did not respond. An
 * answer of the upstream that no attempt can change does not leave the action open.
 */
export const openAfter = (
  { tool, trace }: Pick<Call, "tool" | "trace">,
  { _tag, code }: Failure.Failure
): Pick<FailedOutcome, "isOpen"> => {
  const { idempotency, retry } = tool.definition
  const isOpen =
    idempotency.upstreamHonoursKey === true &&
    trace.attempts.length < retry.attempts &&
    (_tag === "Transient" || temporaryRefusals.has(code))
  return isOpen ? { isOpen } : {}
}

/** Returns the outcome of a write whose failure leaves its effect unknown. */
export const outcomeUnknown = (call: CallFields, original: Failure.Failure): FailedOutcome => ({
  ...refuse(call, "outcome_unknown", {
    detail: `It is not known whether ${call.name} was done: ${original.detail}`,
    sideEffect: "unknown",
    attempts: original.attempts,
    cause: original.cause
  }),
  original
})
