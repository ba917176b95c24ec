/**
 * A call whose side effect is unknown, and how a person settles it [10.5].
 *
 * **Details**
 *
 * - `binding` is a digest of the idempotency key and the arguments, or, for a tool without keys, of the turn and the
 *   arguments. A settlement answers only calls with the same binding.
 * - The first settlement counts. A later settlement is refused, and the refusal contains the first.
 * - `done`: identical calls get the result. `not_done`: the next identical call is made again.
 */
import * as Schema from "effect/Schema"
import { Turn } from "#domain/turn/Turn"

/** A person's finding about the call. */
export const Finding = Schema.Literals(["done", "not_done"])
export type Finding = typeof Finding.Type

/** A finding with its author and time. */
export const Settlement = Schema.Struct({
  finding: Finding,
  /** The result of a call that was done, encoded by the tool's `success`; absent if the person gave none. */
  result: Schema.optionalKey(Schema.Json),
  by: Schema.String,
  /** The reason for the finding. May be empty. */
  reason: Schema.String,
  at: Schema.Int
})
export type Settlement = typeof Settlement.Type

/** A call whose side effect is unknown. Times are epoch milliseconds. */
export const UnknownOutcome = Schema.Struct({
  /** 128 random bits. Identifies the outcome and grants no permission. */
  id: Schema.String,
  /** SHA-256 of the key or turn and the arguments to which a settlement applies, as 64 hex digits. */
  binding: Schema.String,
  /** True if the upstream answered with an error. The run then continues, and no person is notified. */
  isAnswered: Schema.Boolean,
  /** The id of the tool. */
  tool: Schema.String,
  code: Schema.String,
  /** The sentence that the person reads. */
  sentence: Schema.String,
  /** The arguments of the call, encoded and redacted; absent if there are none. */
  arguments: Schema.optionalKey(Schema.Json),
  /** The idempotency key that the upstream received; empty if the call has none. */
  idempotencyKey: Schema.String,
  turn: Schema.optionalKey(Turn),
  callId: Schema.optionalKey(Schema.String),
  run: Schema.optionalKey(Schema.String),
  traceId: Schema.String,
  at: Schema.Int,
  settlement: Schema.optionalKey(Settlement)
})
export type UnknownOutcome = typeof UnknownOutcome.Type

/** The maximum length of the reason for a settlement, in UTF-16 units. A longer reason is cut. */
export const longestReason = 2_000

/** The maximum length of a settled result as JSON, in UTF-16 units. */
export const longestResult = 60_000

/** A settlement as a person enters it. */
export interface NewSettlement {
  readonly finding: Finding
  /** Ignored if the call was not done. */
  readonly result?: Settlement["result"] | undefined
  readonly by: string
  readonly reason: string
  /** The binding that the person saw, if the page or client sends it. */
  readonly binding?: string | undefined
}

/** Why a settlement is refused. */
export type SettleRefusal = "settled" | "other_binding"

/** The settled outcome, or the unchanged outcome and the reason for the refusal. */
export type SettlementResult =
  | { readonly _tag: "Taken"; readonly outcome: UnknownOutcome }
  | { readonly _tag: "Refused"; readonly refusal: SettleRefusal; readonly outcome: UnknownOutcome }

const isFinding = Schema.is(Finding)
const isJson = Schema.is(Schema.Json)

/** Returns the error in a settlement from an untyped program; undefined if the settlement is valid. */
const faultOf = ({ by, finding, reason, result }: NewSettlement): string | undefined => {
  if (!isFinding(finding)) return '`finding` must be "done" or "not_done".'
  if (typeof by !== "string" || by.trim() === "") return "`by` must be the name of the person who settles the outcome."
  if (typeof reason !== "string") return "`reason` must be a string, which may be empty."
  return result === undefined || isJson(result) ? undefined : "`result` must be JSON: the encoded result of the tool."
}

/** Settles an outcome. Throws a RangeError for a settlement that could not be decoded later. */
export const settle = (outcome: UnknownOutcome, settling: NewSettlement, now: number): SettlementResult => {
  const fault = faultOf(settling)
  if (fault !== undefined) throw new RangeError(`A settlement is not valid: ${fault}`)
  const { binding, by, finding, reason, result } = settling
  if (outcome.settlement !== undefined) return { _tag: "Refused", refusal: "settled", outcome }
  if (binding !== undefined && binding !== outcome.binding)
    return { _tag: "Refused", refusal: "other_binding", outcome }
  const settlement: Settlement = {
    finding,
    ...(result === undefined || finding === "not_done" ? {} : { result }),
    by,
    reason: reason.trim().slice(0, longestReason),
    at: now
  }
  return { _tag: "Taken", outcome: { ...outcome, settlement } }
}
