/**
 * Defines the account of the attempts that one call key has spent in its turn, and pure steps on the account [4.7].
 *
 * The budget of a turn in memory (`Budget`) and the stores that keep one row per key apply the same steps.
 */
import { type FailedOutcome, isProven, type Outcome } from "#domain/call/Outcome"
import { changed, type SideEffect } from "#domain/failure/Failure"

/** The account of one call key. */
export interface Account {
  readonly spent: number
  /** The spent units that are returned at `readyAt`: those of Transient failures without a side effect. */
  readonly returning: number
  /** When the model may make the call again, in epoch milliseconds; undefined if no unit is returned. */
  readonly readyAt: number | undefined
  /** The number of units whose attempts are not settled. An interrupted attempt is never settled. */
  readonly running: number
  readonly last: Outcome | undefined
  /** The digest of the last result, complete or partial. */
  readonly digest: string | undefined
  /** True if there was a result, complete or partial. */
  readonly isAnswered: boolean
  /**
   * The most serious side effect of the results: `committed`, otherwise `unknown`, otherwise `none`. Absent without a
   * result.
   */
  readonly answeredEffect?: SideEffect
}

/** An account that has spent nothing. */
export const unspent: Account = {
  spent: 0,
  returning: 0,
  readyAt: undefined,
  running: 0,
  last: undefined,
  digest: undefined,
  isAnswered: false
}

/** An account whose first attempt is running. It replaces an account that was evicted while its attempt ran. */
export const started: Account = { ...unspent, spent: 1, running: 1 }

/** The maximum number of bytes of a result that is held, so that an identical call can get it again. */
export const heldBytes = 262_144

/** How many units a key may spend. */
export interface Limit {
  readonly limit: number
  /** True if another unit is available only after a transient failure. */
  readonly onlyAfterTransient: boolean
  /** True if only failures spend units, because `RepeatedWrites` counts the successes. Default false. */
  readonly countsFailures?: boolean
}

/** The attempt for which a unit is taken. */
export interface Spender {
  /** The time, in epoch milliseconds. */
  readonly now: number
  /**
   * True if the attempt repeats, within its call, an attempt of a write that did nothing. If no unit is left, the
   * attempt reuses the unit of that attempt. Default false.
   */
  readonly isRepeat?: boolean
  /** True for the first attempt of a call, which is not made before the time that the model has read. Default false. */
  readonly isFirst?: boolean
}

/**
 * The result of `spend`: one unit was taken, or none is available.
 *
 * - `last` is the last settled outcome of this key in this turn; undefined if it is not stored.
 * - `isAnswered` is true if an attempt returned a result, whether or not the result is stored.
 */
export type Spending =
  | {
      readonly _tag: "Spent"
      readonly remaining: number
      /** The units that are returned later. */
      readonly returning: number
      /** True if the previous attempt failed and its side effect is unknown. Default false. */
      readonly isUnknown?: true
    }
  | {
      readonly _tag: "Exhausted"
      readonly last: Outcome | undefined
      readonly isAnswered: boolean
      /** The most serious side effect of the results, as in the account. Absent if it is not known. */
      readonly answeredEffect?: SideEffect
      /**
       * When the call may be made, in epoch milliseconds, and how many units are left then; absent if no unit is
       * returned.
       */
      readonly back?: { readonly at: number; readonly units: number }
    }

/** The end of an attempt. */
export interface Settlement {
  readonly outcome: Outcome
  /**
   * The text of a short result, the SHA-256 of a long result, or empty without a result. Equal results have equal
   * digests.
   */
  readonly digest: string
  /** True if no attempt remains. A result of at most `heldBytes` is then held for the next identical call. */
  readonly isLast: boolean
  /** True if only failures spend units. A success then returns the spent units. Default false. */
  readonly countsFailures?: boolean
  /**
   * When the unit of a Transient failure without a side effect is returned, in epoch milliseconds. Absent for every
   * other outcome.
   */
  readonly readyAt?: number | undefined
}

const isFinal = (outcome: Outcome | undefined): boolean =>
  outcome?._tag === "Failure" && outcome.failure._tag !== "Transient"

const isTransient = (outcome: Outcome | undefined): boolean =>
  outcome?._tag === "Failure" && outcome.failure._tag === "Transient"

/** Returns the account after the return of all units that are due. */
const afterWait = (account: Account, now: number): Account =>
  account.readyAt === undefined || now < account.readyAt
    ? account
    : { ...account, spent: Math.max(0, account.spent - account.returning), returning: 0, readyAt: undefined }

const exhausted = (
  { answeredEffect, isAnswered }: Account,
  last: Outcome | undefined
): Extract<Spending, { readonly _tag: "Exhausted" }> => ({
  _tag: "Exhausted",
  last,
  isAnswered,
  ...(answeredEffect === undefined ? {} : { answeredEffect })
})

/** Takes one unit. If no unit is available, or the call comes too early, the account is returned unchanged. */
export const spend = (
  before: Account,
  { countsFailures = false, limit, onlyAfterTransient }: Limit,
  { isFirst = false, isRepeat = false, now }: Spender
): readonly [Spending, Account] => {
  const account = afterWait(before, now)
  const { isAnswered, last, readyAt, returning, running, spent } = account
  if (onlyAfterTransient && !countsFailures && running > 0) return [exhausted(account, undefined), before]
  const isSettled = countsFailures ? isFinal(last) : isAnswered || isFinal(last)
  const counted = countsFailures ? Math.max(0, spent - running) : spent
  const isOver = onlyAfterTransient && isSettled
  const isEarly = isFirst && readyAt !== undefined && isTransient(last)
  if (!isOver && !isEarly && counted < limit) {
    return [
      {
        _tag: "Spent",
        remaining: limit - counted - 1,
        returning,
        ...(isUnknown(account) ? { isUnknown: true } : {})
      },
      { ...account, spent: spent + 1, running: running + 1 }
    ]
  }
  if (isOver || readyAt === undefined || (!isEarly && returning === 0)) {
    // the failure of an earlier attempt is not the outcome of the attempts that are running
    return [exhausted(account, running > 0 && isTransient(last) ? undefined : last), before]
  }
  return isRepeat
    ? [
        { _tag: "Spent", remaining: 0, returning: returning - 1 },
        { ...account, returning: returning - 1, running: running + 1 }
      ]
    : [{ ...exhausted(account, last), back: { at: readyAt, units: limit - (counted - returning) } }, before]
}

const ended = (account: Account): Account => ({ ...account, running: Math.max(0, account.running - 1) })

/** Returns a unit that was taken and not used. The unit of a repeat is returned at `readyAt`. */
export const refund = (account: Account, isRepeat = false): Account =>
  isRepeat
    ? { ...ended(account), returning: Math.min(account.spent, account.returning + 1) }
    : { ...ended(account), spent: Math.max(0, account.spent - 1) }

/** Records the end of an attempt. The Boolean is true if the result has the digest of the previous result. */
export const settle = (
  before: Account,
  { countsFailures = false, digest, isLast, outcome, readyAt }: Settlement
): readonly [boolean, Account] => {
  const account = ended(before)
  if (outcome._tag === "Failure" && outcome.failure._tag !== "PartialData") {
    const last = stillUnknown(before, outcome)
    if (readyAt === undefined) return [false, { ...account, last }]
    const returning = Math.min(account.spent, account.returning + 1)
    return [false, { ...account, last, returning, readyAt: Math.max(account.readyAt ?? 0, readyAt) }]
  }
  const answeredEffect = mostSevere(account.answeredEffect, effectOf(outcome))
  if (countsFailures) {
    // a repeated success is never reported as unchanged
    const reset = { spent: account.running, returning: 0, readyAt: undefined, last: undefined }
    return [false, { ...account, ...reset, digest, isAnswered: true, answeredEffect }]
  }
  const unchanged = account.digest === digest
  const isNew = account.digest !== undefined && !unchanged
  const isHeld = isLast && outcome._tag === "Success" && (outcome.bytes ?? 0) + partBytes(outcome) <= heldBytes
  return [
    unchanged,
    {
      ...account,
      ...(isNew ? { spent: 0, returning: 0, readyAt: undefined } : {}),
      last: isHeld ? outcome : undefined,
      digest,
      isAnswered: true,
      answeredEffect
    }
  ]
}

/**
 * Returns a failure with the unknown effect of the earlier failure, unless a lookup found that neither attempt did
 * anything.
 */
const stillUnknown = (before: Account, outcome: FailedOutcome): FailedOutcome =>
  isUnknown(before) && outcome.failure.sideEffect === "none" && outcome.isAbsent !== true
    ? { ...outcome, failure: changed(outcome.failure, { sideEffect: "unknown" }) }
    : outcome

/** Returns the side effect of a result: that of a failure, `committed` for a proven success, otherwise `unknown`. */
const effectOf = (outcome: Outcome): SideEffect =>
  outcome._tag === "Failure" ? outcome.failure.sideEffect : isProven(outcome) ? "committed" : "unknown"

const severity: Readonly<Record<SideEffect, number>> = { none: 0, unknown: 1, committed: 2 }

/** Returns the more serious of two effects: committed, then unknown, then none. */
export const mostSevere = (self: SideEffect | undefined, that: SideEffect): SideEffect =>
  self === undefined || severity[that] > severity[self] ? that : self

/** Returns the approximate size, in bytes, of the parts that accompany a result. */
export const partBytes = ({ parts }: { readonly parts?: Outcome["parts"] | undefined }): number =>
  parts === undefined ? 0 : JSON.stringify(parts).length

/**
 * True if the account is kept when another call makes progress, because its attempt is running or its side effect is
 * unknown.
 */
export const isOpen = (account: Account): boolean => account.running > 0 || isUnknown(account)

/** True if the last attempt failed and its side effect is unknown. */
export const isUnknown = ({ last }: Account): boolean =>
  last?._tag === "Failure" && last.failure.sideEffect === "unknown"
