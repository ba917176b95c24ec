/**
 * What one call adds to the metrics, as a pure function of its record [15.1].
 *
 * Every label has a bounded set of values: the eight classes, the guard's codes, the kinds of saving.
 */
import type { CallRecord } from "./CallRecord.ts"
import * as Failure from "#domain/failure/Failure"
import { type FailureCode, info } from "#domain/failure/FailureCode"

/** Why the guard saved the execution of a call: its answer was known, or the call would have been a useless repetition. */
export type Saving =
  /** The identical call had failed before in this turn. */
  | "recall"
  /** The action was done, or is being done, under the same key; or an equal read of the round provides the answer. */
  | "replay"
  /** It had returned the same result as often as its budget allows. */
  | "unchanged"
  /** The loop detector stopped it. */
  | "loop"
  /** Its budget was spent on failures. */
  | "budget"

/** The contribution of one call. */
export interface Tally {
  /** The class of its failure; undefined for a page. */
  readonly failure: Failure.FailureTag | undefined
  /** It ended with one page of a longer result. */
  readonly isPage: boolean
  /** Attempts after the first. */
  readonly retries: number
  /** The guard's code, if it refused the call without an attempt. */
  readonly refusal: FailureCode | "other" | undefined
  readonly saving: Saving | undefined
}

const healthy: Tally = { failure: undefined, isPage: false, retries: 0, refusal: undefined, saving: undefined }

/** The tally of a record. */
export const of = ({ attempts, decisions, outcome, usedFallback }: CallRecord): Tally => {
  const failure = outcome._tag === "Failure" ? outcome.failure : undefined
  if (failure === undefined && attempts.length === 1 && decisions.length === 0) return healthy
  const isPage = failure !== undefined && Failure.isPage(failure)
  const isUntried = attempts.length === 0 && usedFallback === undefined
  const known = isUntried ? knownBy(decisions) : undefined
  const isRefused = isUntried && known === undefined && failure !== undefined && !notRefusals.has(failure.code)
  return {
    failure: isPage ? undefined : failure?._tag,
    isPage,
    retries: Math.max(0, attempts.length - 1),
    refusal: isRefused ? codeOf(failure) : undefined,
    saving: known ?? (isRefused ? savedBy(failure) : undefined)
  }
}

/** Codes that are not refusals, even if the call had no attempt. */
const notRefusals: ReadonlySet<string> = new Set<FailureCode>(["interrupted", "outcome_unknown", "tool_crashed"])

/** The saving of a refusal, by its code. */
const savedBy = ({ code }: Failure.Failure): Saving | undefined => {
  const saving = info(code)?.saving
  return saving === "none" ? undefined : saving
}

const savings: { readonly [decision: string]: Saving } = {
  "recall recalled": "recall",
  "idempotency replayed": "replay",
  "idempotency joined": "replay",
  "idempotency resumed": "replay",
  "budget answered again": "unchanged",
  "round shared": "replay"
}

/** The decision by which an earlier answer was returned again. */
const knownBy = (decisions: CallRecord["decisions"]): Saving | undefined => {
  for (const { decision, stage } of decisions) {
    const saving = savings[`${stage} ${decision}`]
    if (saving !== undefined) return saving
  }
  return undefined
}

const codeOf = ({ code }: Failure.Failure): FailureCode | "other" =>
  info(code) === undefined ? "other" : (code as FailureCode)

/** Bytes per token, approximately: exact counts need the vocabulary of the model. */
const bytesPerToken = 4

const previewed = /^\{"status":"(?:success|partial)","preview":\{"bytes":(\d+),/u

/** The approximate tokens that a preview saved: the size of the result minus that of the envelope. */
export const tokensSaved = (envelope: string): number => {
  const bytes = Number(previewed.exec(envelope)?.[1] ?? 0)
  return Math.max(0, Math.round((bytes - envelope.length) / bytesPerToken))
}
