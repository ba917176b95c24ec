/**
 * What one call adds to the metrics: a pure function of its record (SPEC 15.1).
 *
 * Every label has a bounded set of values: the eight classes, the guard's own codes, the ways to save a call.
 */
import type { CallRecord } from "./CallRecord.ts"
import type { Failure, FailureTag } from "#domain/failure/Failure"
import { type FailureCode, info } from "#domain/failure/FailureCode"

/** Why a call cost no execution that it would have cost: its answer was known, or it would have repeated itself. */
export type Saving =
  /** The identical call had failed before in this turn. */
  | "recall"
  /** The action was done, or is being done, under the same key, or an equal read of the round answers. */
  | "replay"
  /** It had given the same result as often as its budget allows. */
  | "unchanged"
  /** The loop detector stopped it. */
  | "loop"
  /** Its budget was spent on failures. */
  | "budget"

export interface Tally {
  /** The class of its failure. */
  readonly failure: FailureTag | undefined
  /** Attempts after the first. */
  readonly retries: number
  /** The guard's code, where it refused the call without an attempt. */
  readonly refusal: FailureCode | "other" | undefined
  readonly saving: Saving | undefined
}

const healthy: Tally = { failure: undefined, retries: 0, refusal: undefined, saving: undefined }

/** Reads a record. */
export const of = ({ attempts, decisions, outcome, usedFallback }: CallRecord): Tally => {
  const failure = outcome._tag === "Failure" ? outcome.failure : undefined
  if (failure === undefined && attempts.length === 1 && decisions.length === 0) return healthy
  const isUntried = attempts.length === 0 && usedFallback === undefined
  const known = isUntried ? knownBy(decisions) : undefined
  const isRefused = isUntried && known === undefined && failure !== undefined && !unexpected.has(failure.code)
  return {
    failure: failure?._tag,
    retries: Math.max(0, attempts.length - 1),
    refusal: isRefused ? codeOf(failure) : undefined,
    saving: known ?? (isRefused ? savedBy(failure) : undefined)
  }
}

/** Codes of calls that the guard did not decide to refuse. */
const unexpected: ReadonlySet<string> = new Set<FailureCode>(["interrupted", "outcome_unknown", "tool_crashed"])

/** What a refusal saves, by its code. */
const savedBy = ({ code }: Failure): Saving | undefined => {
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

/** How an earlier answer came to be given again. */
const knownBy = (decisions: CallRecord["decisions"]): Saving | undefined => {
  for (const { decision, stage } of decisions) {
    const saving = savings[`${stage} ${decision}`]
    if (saving !== undefined) return saving
  }
  return undefined
}

const codeOf = ({ code }: Failure): FailureCode | "other" =>
  info(code) === undefined ? "other" : (code as FailureCode)

/** Bytes of a token, about: what a text costs a model is not known exactly without its vocabulary. */
const bytesPerToken = 4

const previewed = /^\{"status":"(?:success|partial)","preview":\{"bytes":(\d+),/u

/** Tokens, about, that a model was spared by a preview: what its result has more than the envelope. */
export const tokensSaved = (envelope: string): number => {
  const bytes = Number(previewed.exec(envelope)?.[1] ?? 0)
  return Math.max(0, Math.round((bytes - envelope.length) / bytesPerToken))
}
