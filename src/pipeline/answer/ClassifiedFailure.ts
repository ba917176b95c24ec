/**
 * Turns a classified error into the failure of its call.
 *
 * An error that states the class `semantic_garbage` is SemanticGarbage for a model. A program gets this failure only if
 * the type of the tool has it, because the tool has the check `statedGarbage`. Otherwise the error is Permanent.
 */
import type { ErrorClassification } from "#domain/classification/Classification"
import { type FailedOutcome, failed } from "#domain/call/Outcome"
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import { hasGarbage } from "#domain/answers/StatedVerdict"
import type { Call } from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"

/** The longest detail with the fields of a declared error, in characters. */
const longestDetail = 500

/** Marks a failure after which the upstream is known to have answered. */
export const answered = (outcome: FailedOutcome): FailedOutcome => ({ ...outcome, isAnswered: true })

/** Returns the failure for a classified error. `cause` is the error itself, for logs. */
export const of = (call: Call, classified: ErrorClassification, cause: unknown): FailedOutcome => {
  const { code, isAnswered, retryAfter, sideEffect, tag } = classified
  const declared = call.tool.definition.fieldsOfError?.(cause)
  const detail = declared === undefined ? classified.detail : `${classified.detail} ${declared}`.slice(0, longestDetail)
  const details = {
    fields: classified.fields,
    detail: EffectHint.detailOfDone(call.name, code) ?? detail,
    hint: EffectHint.ofDone(code, sideEffect) ?? classified.hint,
    sideEffect,
    cause
  }
  const isStatedGarbage = tag === "SemanticGarbage" && classified.rule === "declared"
  const outcome =
    isStatedGarbage && isTyped(call)
      ? garbage(call, classified.ownCode, details)
      : tag === "PartialData" || (tag === "SemanticGarbage" && !isStatedGarbage)
        ? refuse(call, "tool_failed", { detail, hint: EffectHint.ofDone(code, sideEffect), sideEffect, cause })
        : refuse(call, code, {
            ...details,
            tag: tag === "SemanticGarbage" ? "Permanent" : tag,
            ownCode: classified.ownCode,
            retryAfter
          })
  return isAnswered ? answered(outcome) : outcome
}

/** True if the caller's type has SemanticGarbage, or if the caller reads failures of any class. */
const isTyped = ({ acceptsAnyShape, tool }: Call): boolean => acceptsAnyShape || hasGarbage(tool.definition.checks)

const garbage = (
  { name, traceId }: Call,
  ownCode: string | undefined,
  { hint, ...details }: Omit<Failure.Details, "hint" | "tool" | "traceId"> & { readonly hint: string | undefined }
): FailedOutcome =>
  failed(
    Failure.make("SemanticGarbage", ownCode ?? "stated_garbage", {
      ...details,
      hint: hint ?? "The tool rejects its own result. Change the arguments, use another tool or tell the user.",
      tool: name,
      traceId
    })
  )
