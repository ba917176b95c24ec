/**
 * Computes the contribution of one call to the metrics from the record of the call [15.1].
 *
 * Every label has a bounded set of values: the eight classes, the guard's codes, the refusals that tools declare, the
 * kinds of saving.
 */
import type { CallRecord } from "./CallRecord.ts"
import * as Failure from "#domain/failure/Failure"
import { type FailureCode, info } from "#domain/failure/FailureCode"

/** Why the guard did not execute a call: its answer was known, or the call would have been a useless repetition. */
export type Saving =
  /** An identical call had failed in this turn, or was a write that succeeded and must not be repeated. */
  | "recall"
  /** The action was done, or is being done, under the same key; or an equal read of the round provides the answer. */
  | "replay"
  /** Identical calls had returned the same result as often as the budget allows. */
  | "unchanged"
  /** The loop detector stopped the call. */
  | "loop"
  /** The budget of the call was spent on failures. */
  | "budget"

/** The contribution of one call to the metrics. */
export interface Tally {
  /** The class of the call's failure; `undefined` for a success, a page and a declared refusal. */
  readonly failure: Failure.FailureTag | undefined
  /** True if the call returned one page of a longer result. */
  readonly isPage: boolean
  /** The code of a refusal that the tool declares [3.5], if the call ended with such a refusal. */
  readonly declared: string | undefined
  /** The number of attempts after the first. */
  readonly retries: number
  /**
   * The code of the refusal if the guard refused the call without an attempt; `other` for a code that is not the
   * guard's.
   */
  readonly refusal: FailureCode | "other" | undefined
  readonly saving: Saving | undefined
  /** The classes of the failures that the guard found and did not enforce. */
  readonly notEnforced: ReadonlyArray<string>
}

const none: ReadonlyArray<string> = []

const healthy: Tally = {
  failure: undefined,
  isPage: false,
  declared: undefined,
  retries: 0,
  refusal: undefined,
  saving: undefined,
  notEnforced: none
}

/** Returns the tally of a record. */
export const of = ({ attempts, decisions, notEnforced, outcome, usedFallback }: CallRecord): Tally => {
  const failure = outcome._tag === "Failure" ? outcome.failure : undefined
  if (failure === undefined && attempts.length === 1 && decisions.length === 0) return healthy
  const isDeclared = failure !== undefined && Failure.isRefusal(failure)
  const isPage = failure !== undefined && Failure.isPage(failure)
  const isUntried = attempts.length === 0 && usedFallback === undefined
  const known = isUntried ? knownBy(decisions) : undefined
  const isRefused =
    isUntried && !isDeclared && known === undefined && failure !== undefined && !notRefusals.has(failure.code)
  return {
    failure: isPage || isDeclared ? undefined : failure?._tag,
    isPage,
    declared: isDeclared ? failure.code : undefined,
    retries: Math.max(0, attempts.length - 1),
    refusal: isRefused ? codeOf(failure) : undefined,
    saving: known ?? (isRefused ? savedBy(failure) : undefined),
    notEnforced: notEnforced === undefined ? none : notEnforced.map((each) => each.class)
  }
}

/** Codes of failures that are not refusals, even if the call had no attempt. */
const notRefusals: ReadonlySet<string> = new Set<FailureCode>(["interrupted", "outcome_unknown", "tool_crashed"])

/** Returns the saving of a refusal, by its code. */
const savedBy = ({ code }: Failure.Failure): Saving | undefined => {
  const saving = info(code)?.saving
  return saving === "none" ? undefined : saving
}

const savings: { readonly [decision: string]: Saving } = {
  "recall recalled": "recall",
  "recall not made again": "recall",
  "idempotency replayed": "replay",
  "idempotency joined": "replay",
  "idempotency resumed": "replay",
  "budget answered again": "unchanged",
  "loop answered again": "unchanged",
  "loop joined": "replay",
  "round shared": "replay"
}

/** Returns the saving of the decision that returned an earlier answer again, if there is such a decision. */
const knownBy = (decisions: CallRecord["decisions"]): Saving | undefined => {
  for (const { decision, stage } of decisions) {
    const saving = savings[`${stage} ${decision}`]
    if (saving !== undefined) return saving
  }
  return undefined
}

const codeOf = ({ code }: Failure.Failure): FailureCode | "other" =>
  info(code) === undefined ? "other" : (code as FailureCode)

/** The approximate number of bytes in a token. An exact count needs the vocabulary of the model. */
const bytesPerToken = 4

const previewed = /^\{"status":"(?:success|partial)","preview":\{"bytes":(\d+),/u

/**
 * Returns the approximate number of tokens that a preview saved: the tokens of the result minus the tokens of the
 * envelope.
 */
export const tokensSaved = (envelope: string): number => {
  const bytes = Number(previewed.exec(envelope)?.[1] ?? 0)
  return Math.max(0, Math.round((bytes - envelope.length) / bytesPerToken))
}
